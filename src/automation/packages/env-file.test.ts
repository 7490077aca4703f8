import { expect, test } from 'bun:test'
import { parseEnv } from 'node:util'

import { withoutSecrets } from './env-file.ts'

test.each([
  ['REGION=eu\nDB_PASSWORD=hush\nTZ=UTC\n', 'REGION=eu\nTZ=UTC\n', ['DB_PASSWORD']],
  ['export SMTPPASS=hush', '', ['SMTPPASS']],
  [' API_KEY = "one\ntwo\n" # of ours\nA=1', 'A=1', ['API_KEY']],
  ["PW='a\nB=2\n'\r\nA=1\r\n", 'A=1\r\n', ['PW']],
  ['PASSWORD="never closed\nA=1\n', 'A=1\n', ['PASSWORD']],
  ['NOTE="PASSWORD=\nPASSWORD=inside\n"\nA=1\n', 'NOTE="PASSWORD=\nPASSWORD=inside\n"\nA=1\n', []],
  ['# PASSWORD is elsewhere\n\nno variable\n=\n', '# PASSWORD is elsewhere\n\nno variable\n=\n', []],
  ['PW=a\nPW=b\n', '', ['PW']],
  ['', '', []],
])('of %p remains %p, and %p are named', (text, left, secretNames) => {
  expect(withoutSecrets(text)).toEqual({ text: left, secretNames })
  // A run reads the other variables only.
  const before = Object.entries(parseEnv(text)).filter(([name]) => !secretNames.includes(name))
  if (!text.includes('never closed')) expect(Object.entries(parseEnv(left))).toEqual(before)
})
