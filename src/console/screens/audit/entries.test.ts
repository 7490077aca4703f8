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
    { field: 'timeout', before: 'PT5M', after: 'PT10M' },
    { field: 'limits', before: '[1]', after: '[2]' },
  ])
  expect(changesOf({ before: null, after: { name: 'New', comment: null } })).toEqual([
    { field: 'name', before: '', after: 'New' },
  ])
})

test('objects that exist have a link', () => {
  expect(linkOf(entry({}))).toBe('/ui/job/7')
  expect(linkOf(entry({ objectType: 'alarm' }))).toBe('/ui/alarms/7')
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
