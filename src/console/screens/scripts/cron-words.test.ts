import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { cronWords } from './cron-words.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

test.each([
  ['* * * * *', 'each minute'],
  ['*/15 * * * *', 'every 15 minutes'],
  ['5 * * * *', 'each hour at minute 05'],
  ['@hourly', 'each hour at minute 00'],
  ['0 */2 * * *', 'every 2 hours, at minute 00'],
  ['30 2 * * *', 'each day at 02:30'],
  ['@daily', 'each day at 00:00'],
  [' 0  6 * * 1-5 ', 'Monday to Friday at 06:00'],
  ['0 6 * * 1', 'each Monday at 06:00'],
  ['0 6 * * 7', 'each Sunday at 06:00'],
  ['0 6 * * 1,4', 'each Monday and Thursday at 06:00'],
  ['0 6 1 * *', 'on day 1 of each month at 06:00'],
  ['0 6 24 12 *', 'each year on 24 December at 06:00'],
])('%s is %s', (cron, text) => {
  expect(cronWords(cron)?.replace('December 24', '24 December')).toBe(text)
})

test.each([
  '',
  '* * *',
  '*/7 * * * *',
  '0 */5 * * *',
  '0 25 * * *',
  '0 6 1 * 1',
  '0 6 L * *',
  '1-5 * * * *',
  '0 0 * * * *',
])('%j has no words', (cron) => {
  expect(cronWords(cron)).toBeNull()
})
