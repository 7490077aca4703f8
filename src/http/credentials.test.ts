import { expect, test } from 'bun:test'

import { accessTokenIn, basicCredentialsIn, personalTokenIn } from './credentials.ts'

const PERSONAL = `tidemark_${'a'.repeat(43)}`
const ADA = { username: 'ada', password: 'zoé:1' }
const encoded = Buffer.from('ada:zoé:1').toString('base64')

test.each([`Basic ${encoded}`, `Basic  ${encoded}`, `bAsIc    ${encoded}`])(
  '%s has a name and a password',
  (header) => {
    expect(basicCredentialsIn(header)).toEqual(ADA)
  },
)

test.each([
  ['no colon', `Basic ${btoa('ada')}`],
  ['Latin-1', `Basic ${btoa('ada:zo\u00e9')}`],
  ['two headers, which come as one', `Basic ${encoded}, Basic ${encoded}`],
  ['no space', `Basic${encoded}`],
  ['another scheme', `Digest ${encoded}`],
])('%s is refused', (_, header) => {
  expect(basicCredentialsIn(header)).toBeNull()
})

test.each(['Bearer ', 'Bearer  ', 'Baerer   '])('a token follows the scheme "%s"', (scheme) => {
  expect(accessTokenIn(`${scheme}a.b.c`)).toBe('a.b.c')
  expect(personalTokenIn(`${scheme}${PERSONAL}`)).toBe(PERSONAL)
})
