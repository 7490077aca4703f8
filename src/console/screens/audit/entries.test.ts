import { beforeAll, expect, test } from 'bun:test'

import { loadWords } from '../../language/t.ts'
import { words } from './words.ts'

globalThis.document ??= { baseURI: 'http://localhost/ui/' } as unknown as Document
const { auditSentence, changesOf, linkOf, shortId, wordOf } = await import('./entries.ts')
type Entry = Parameters<typeof linkOf>[0]

beforeAll(() => loadWords(words))

const entry = (change: Partial<Entry>): Entry =>
  ({ action: 'update', objectType: 'job', objectId: '7', before: null, after: null, ...change }) as Entry

test('an update shows only the fields that differ', () => {
  const before = { name: 'Pump', timeout: 'PT5M', limits: [1] }
  const after = { name: 'Pump', timeout: 'PT10M', limits: [2] }
  expect(changesOf({ before, after })).toEqual([
    { field: 'timeout', before: '5\u00a0min', after: '10\u00a0min' },
    { field: 'limits', before: '[1]', after: '[2]' },
  ])
  expect(changesOf({ before: null, after: { name: 'New', comment: null } })).toEqual([
    { field: 'name', before: '', after: 'New' },
  ])
})

test('times, lengths and user agents are shown as a person reads them, other numbers and texts as they are', () => {
  const at = Date.UTC(2027, 2, 28, 12)
  const after = {
    untilAt: at,
    begin: '2027-03-28T12:00:00Z',
    graceSeconds: 5_400,
    delayMs: 120_000,
    weightAt: 7,
    name: 'P1',
    agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  }
  const texts = Object.fromEntries(
    changesOf({ before: null, after }).map(({ field, after: text }) => [field, text]),
  )
  expect(texts['untilAt']).toMatch(/Mar 28, 2027/)
  expect(texts['untilAt']).not.toMatch(/[AP]M/)
  expect(texts['begin']).toBe(texts['untilAt'] ?? '')
  expect(texts).toMatchObject({
    delayMs: '2\u00a0min',
    weightAt: '7',
    name: 'P1',
    agent: 'Firefox 140, Linux',
  })
  expect(texts['graceSeconds']).toMatch(/^1.hr 30.min$/)
})

test('objects that exist have a link', () => {
  expect(linkOf(entry({}))).toBe('/ui/job/7')
  expect(linkOf(entry({ objectType: 'alarm' }))).toBe('/ui/alarms/7')
  expect(linkOf(entry({ objectType: 'dataQuery' }))).toBe('/ui/queries/7')
  expect(linkOf(entry({ objectType: 'user' }))).toBe('/ui/users/user/7')
  expect(linkOf(entry({ action: 'delete' }))).toBeNull()
  expect(linkOf(entry({ objectType: 'session', objectId: 'x7' }))).toBeNull()
})

test('long ids are cut', () => {
  expect(shortId('39')).toBe('39')
  expect(shortId('789157e3aa894d78e8d21f3f123f556')).toBe('789157e3aa894d78e8d2…')
})

test('an unknown action keeps its name', () => {
  expect(wordOf('action', 'update')).toBe('changed')
  expect(wordOf('action', 'teleport')).toBe('teleport')
})

test('the sentence names the latest entry', () => {
  expect(auditSentence([])).toBe('There is no such entry.')
  expect(auditSentence([entry({ at: '2020-01-01T00:00:00Z', username: 'mara' })])).toMatch(
    /^The latest entry is of .*2020.*, by mara\.$/,
  )
})
