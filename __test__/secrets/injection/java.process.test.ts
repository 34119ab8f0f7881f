// Java's clients trust the certificates of a sandbox with rules, though they read no variable.

import { describe, expect, it } from 'vitest';
import { type Guarded, guarded, inGuardedWorld, VALUE } from './world.js';

const URL_OF = 'https://registry.test:8443';

/** Prints what an address answers. */
const FETCH = `
import java.net.URI;
import java.net.http.*;
class Fetch {
  public static void main(String[] words) throws Exception {
    var request = HttpRequest.newBuilder(URI.create(words[0])).build();
    System.out.print(HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString()).body());
  }
}
`;

const WRITE = `cat > Fetch.java <<'END'\n${FETCH}END\n`;

describe('Java in a sandbox with rules', { tags: ['root', 'sandbox', 'javac'] }, () => {
  it('reaches a host with a credential, by HTTP/2', async () => {
    const { stdout, stderr, seen, used } = await guarded(`${WRITE} java Fetch.java ${URL_OF}/java`);
    expect({ stdout, stderr }).toEqual({ stdout: '{"ok":true}\n', stderr: '' });
    expect(seen).toMatchObject([
      { path: '/java', httpVersion: '2.0', headers: { authorization: `Bearer ${VALUE}` } },
    ]);
    expect(used).toMatchObject([{ requests: 1 }]);
  });

  it('has the certificates of the system beside the authority', async () => {
    const list = (words: string) =>
      `keytool -list ${words} -storepass changeit 2>&1 | grep -c trustedCertEntry`;
    const { stdout } = await guarded(
      `${list('-cacerts')}; ${list('-keystore /dev/agent-bash/ca.jks')};
        grep -c 'BEGIN CERTIFICATE' /dev/agent-bash/ca.pem`,
    );
    const [ofJava, named, all] = stdout.split('\n').map(Number);
    expect(all).toBeGreaterThan(1);
    expect([ofJava, named]).toEqual([all, all]);
  });

  it('refuses a host whose certificate the authority of another sandbox has signed', async () => {
    const [one, other] = await inGuardedWorld<Guarded[]>(`
      const keep = 'cp /dev/agent-bash/ca.jks first.jks';
      await guarded(keep);
      const line = ${JSON.stringify(WRITE)} +
        'java -Djavax.net.ssl.trustStore=$PWD/first.jks Fetch.java ${URL_OF}/java';
      const own = { ...CREDENTIAL, value: 'another-value-of-it' };
      report([await guarded(line), await guarded(line, { own })]);
    `);
    expect(one?.stdout).toBe('{"ok":true}\n');
    expect(other?.stderr).toContain('SSLHandshakeException');
    expect(other?.seen).toEqual([]);
  });
});
