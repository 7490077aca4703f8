import { describe, expect, test } from 'bun:test'

import { isCertificates } from './certificates.ts'

const block = (bytes: readonly number[], name = 'CERTIFICATE') =>
  `-----BEGIN ${name}-----\n${Uint8Array.from(bytes).toBase64()}\n-----END ${name}-----\n`
const zeros = (count: number) => Array.from({ length: count }, () => 0)

const SMALL = block([0x30, 3, 2, 1, 5])
const MEDIUM = block([0x30, 0x81, 200, ...zeros(200)])
const LARGE = block([0x30, 0x82, 4, 1, ...zeros(1_025)])

describe('certificates', () => {
  test.each([
    SMALL,
    MEDIUM,
    LARGE,
    SMALL + LARGE,
    `\n ${SMALL}\r\n${MEDIUM} `,
    SMALL.replace('MAMC', 'MA\r\nMC'),
    SMALL.trim(),
  ])('are %j', (text) => expect(isCertificates(text)).toBe(true))

  test.each([
    '',
    ' ',
    'garbage',
    '/etc/ssl/ca.pem',
    block([0x30, 3, 2, 1, 5], 'PRIVATE KEY'),
    SMALL + block([0x30, 3, 2, 1, 5], 'PRIVATE KEY'),
    `${SMALL}more`,
    `more${SMALL}`,
    SMALL.replace('MAMC', 'MAM*'),
    SMALL.replace('-----END', '----END'),
    SMALL + SMALL.slice(5),
    block([]),
    block([0x30]),
    block([0x31, 3, 2, 1, 5]),
    block([0x30, 3, 2, 1]),
    block([0x30, 3, 2, 1, 5, 0]),
    block([0x30, 0x80, 0, 0]),
    block([0x30, 0x82, 4]),
    block([0x30, 0x85, 0, 0, 0, 0, 0]),
    block([0x30, 0x81, 200, ...zeros(199)]),
  ])('are not %j', (text) => expect(isCertificates(text)).toBe(false))
})
