import { expect, test } from 'bun:test'

import { merged, pauseOf } from './answers.ts'

test('unchanged data stay as they were, other answers replace them', () => {
  const data = { kind: 'rows', columns: [], rows: [], truncated: false } as const
  const former = { a: { status: 200, etag: '"1"', data: { ...data, columns: [], rows: [] } } }
  const latest = { a: { status: 304, etag: '"1"' }, b: { status: 403, code: 'forbidden' } }
  expect(merged(former, latest)).toEqual({ a: former.a, b: latest.b })
  expect(merged({}, latest)).toEqual(latest)
})

test('data are read again at the pace of the dashboard, sooner where a widget asks for it', () => {
  expect(pauseOf({ next: 'PT1M', widgets: { a: { status: 200 } } })).toBe(60_000)
  expect(pauseOf({ next: 'PT1M', widgets: { a: { status: 503, retryAfter: 5 } } })).toBe(5_000)
})
