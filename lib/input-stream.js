'use strict';

const { Writable } = require('node:stream');

/** So much may wait in the stream before `write()` answers false (bytes). */
const HIGH_WATER = 64 * 1024;

/** The standard input of a job, as Node's streams have it. A child that does not read it is no error. */
class InputStream extends Writable {
  #input;

  constructor(input) {
    super({ highWaterMark: HIGH_WATER });
    this.#input = input;
  }

  _write(chunk, _encoding, callback) {
    this.#input.send(chunk, callback);
  }

  _final(callback) {
    this.#input.close();
    callback();
  }

  _destroy(error, callback) {
    this.#input.close();
    callback(error);
  }
}

module.exports = { InputStream };
