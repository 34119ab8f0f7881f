// A process that does nothing, as a CommonJS module.
