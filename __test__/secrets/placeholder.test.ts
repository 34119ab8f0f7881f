import { describe, expect, it } from 'vitest';

const { placeholderOf } = await import(new URL('../../lib/credentials/placeholder.ts', import.meta.url).href);

const jwtOf = (payload: object) =>
  ['{"alg":"HS256"}', JSON.stringify(payload), 'a signature of it']
    .map((part) => Buffer.from(part).toString('base64url'))
    .join('.');

describe('a placeholder', () => {
  it.each([
    ['ghp_k7Qr9x4tZ4mW2vB8aaaabbbbccccddddeee1', /^ghp_[A-Za-z0-9]{36}$/],
    ['sk-ant-api03-k7Qr9x4tZ4mW2vB8-aaaabbbb', /^sk-ant-api03-[A-Za-z0-9]{16}-[a-z]{8}$/],
    ['npm_k7Qr9x4tZ4mW2vB8aaaabbbbccccddddee1', /^npm_[A-Za-z0-9]{35}$/],
    ['0123456789abcdef0123456789abcdef', /^[0-9]{10}[a-f]{6}[0-9]{10}[a-f]{6}$/],
    [
      '123e4567-e89b-12d3-a456-426614174000',
      /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
    ],
    ['a.B_c-1234567890123', /^[a-z]\.[A-Z]_[a-z]-\d{13}[a-z]$/],
  ])('of %s has its form', (value, form) => {
    const placeholder = placeholderOf(value);
    expect(placeholder).toMatch(form);
    expect(placeholder).not.toBe(value);
  });

  it('is as long as the value, and at least 20 characters', () => {
    expect(placeholderOf('x'.repeat(57))).toHaveLength(57);
    expect(placeholderOf('short1')).toMatch(/^[a-z0-9]{20}$/);
    expect(placeholderOf('******')).toHaveLength(20);
  });

  it.each([
    ['A+b/C1234567890123==', /^[A-Z][A-Za-z0-9][a-z][A-Za-z0-9][A-Z]\d{13}[A-Za-z0-9]{2}$/],
    ['p@ss!w0rd#of#mine$$$', /^[A-Za-z0-9]{20}$/],
    ['!@#$%^&*', /^[A-Za-z0-9]{20}$/],
    ['!@#$%^&*()!@#$%^&*()!@#$', /^[A-Za-z0-9]{24}$/],
    ['😀'.repeat(10), /^[A-Za-z0-9]{20}$/],
  ])('of %s has none of its symbols', (value, form) => {
    expect(placeholderOf(value)).toMatch(form);
  });

  it.each(['------', '-_.-_.-_.-_.-_.-_.-_.-_', 'a-------', 'sk-ant-api03-', 'github_pat_', 'sk-proj-'])(
    'of %s does not contain it',
    (value) => {
      expect(placeholderOf(value)).not.toContain(value);
    },
  );

  it('is another one each time', () => {
    expect(new Set(Array.from({ length: 100 }, () => placeholderOf('k7Qr9x4t'))).size).toBe(100);
  });

  it('of a JWT keeps its header and its times, and nothing else', () => {
    const value = jwtOf({ exp: 2_000_000_000, iat: 1_900_000_000, email: 'a@b.example' });
    const [head, payload, signature] = placeholderOf(value).split('.');
    expect(head).toBe(value.split('.')[0]);
    const claims = JSON.parse(Buffer.from(payload ?? '', 'base64url').toString());
    expect(claims).toMatchObject({ exp: 2_000_000_000, iat: 1_900_000_000 });
    expect(JSON.stringify(claims)).not.toContain('a@b.example');
    expect(signature).not.toBe(value.split('.')[2]);
  });

  it('of a JWT keeps no times that are texts', () => {
    const value = jwtOf({ exp: 'hidden-in-exp', iat: { at: 'hidden-in-iat' } });
    const [, payload] = placeholderOf(value).split('.');
    expect(Buffer.from(payload ?? '', 'base64url').toString()).not.toContain('hidden');
  });

  it('of a value that is not known has 40 letters and digits', () => {
    expect(placeholderOf(undefined)).toMatch(/^[A-Za-z0-9]{40}$/);
  });
});
