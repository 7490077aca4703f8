import { createHmac } from 'node:crypto'

import { expect, test } from 'bun:test'

import { Refusal } from '../../lib/errors.ts'
import { requireSignature } from './signature.ts'

const NOW = 1_800_000_000_000
const SECOND = NOW / 1_000
const KEY = 'a-key'
const BODY = '{"a":1}'

function sign(at: number, body = BODY, key = KEY): string {
  return `t=${at},v1=${createHmac('sha256', key).update(`${at}.${body}`).digest('hex')}`
}

async function codeOf(header: string | null, now = NOW): Promise<string | null> {
  try {
    await requireSignature(header, { body: new TextEncoder().encode(BODY), signingKey: KEY, now })
    return null
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

test.each([
  sign(SECOND),
  sign(SECOND - 300),
  sign(SECOND + 300),
  sign(SECOND).toUpperCase().replace('T=', 't=').replace('V1=', 'v1='),
  sign(SECOND).replace(',', ', '),
  `${sign(SECOND, 'another')},${sign(SECOND).split(',')[1]}`,
])('%p fits', async (header) => expect(await codeOf(header)).toBeNull())

test.each([
  null,
  '',
  't=',
  `t=${SECOND}`,
  'v1=00',
  sign(SECOND - 301),
  sign(SECOND + 301),
  sign(SECOND, `${BODY} `),
  sign(SECOND, BODY, 'another key'),
  sign(SECOND).replace('v1=', 'v0='),
  sign(SECOND).slice(0, -1),
  sign(SECOND).replace(`t=${SECOND}`, `t=${SECOND + 1}`),
  sign(SECOND).replace(`t=${SECOND}`, 't=1e9'),
])('%p does not', async (header) => expect(await codeOf(header)).toBe('unauthenticated'))
