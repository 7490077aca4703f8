import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { recipientsSentence, targetOf } from './recipients.ts'
import { words } from './words.ts'

beforeAll(() => loadWords(words))

test('a target has the fields of its kind, with numbers and lists', () => {
  expect(targetOf('user', { userId: '5', url: 'https://left.example' })).toEqual({ userId: 5 })
  expect(targetOf('email', { addresses: 'a@example.org, b@example.org' })).toEqual({
    addresses: ['a@example.org', 'b@example.org'],
  })
  expect(targetOf('ntfy', { topic: 'tide' })).toEqual({ topic: 'tide' })
  expect(targetOf('script', { scriptId: '8', runConfigurationId: '3' })).toEqual({
    scriptId: 8,
    runConfigurationId: 3,
  })
  expect(targetOf('webhook', { url: 'https://a.example', secret: '' })).toEqual({ url: 'https://a.example' })
})

test('a form without a required field gives no target', () => {
  expect(targetOf('telegram', { token: '1:a' })).toBeNull()
  expect(targetOf('webhook', { url: '  ' })).toBeNull()
})

test('the sentence counts recipients that reach no one', () => {
  const good = { warnings: [] }
  const bad = { warnings: [{ code: 'not_used', message: '' }] } as const
  expect(recipientsSentence([])).toBe('No recipient yet: alarms reach no one.')
  expect(recipientsSentence([good])).toBe('One recipient. Nothing stands in the way of a message.')
  expect(recipientsSentence([good, { warnings: [...bad.warnings] }])).toBe(
    '2 recipients. One needs attention.',
  )
})
