import { expect, test } from 'bun:test'

import { appendLines, lineClass, LINES_MAX, readBlocks } from './log.ts'
import type { LogLine } from './log.ts'

const line = (n: number, part: Partial<LogLine> = {}): LogLine => ({
  n,
  at: '2026-11-25T12:00:00Z',
  stream: 'stdout',
  text: `line ${n}`,
  ...part,
})

test('complete events are read, the rest waits, comments and states are left out', () => {
  const text = [
    'retry: 2000',
    ': beat',
    `id: 1\nevent: line\ndata: ${JSON.stringify(line(1, { text: 'a: b' }))}`,
    'id: 1\nevent: job\ndata: {"state":"running"}',
    'id: 1\nevent: end\ndata: {"state":"failed"}',
    'id: 2\nevent: li',
  ].join('\n\n')
  expect(readBlocks(text)).toEqual({
    events: [
      { kind: 'line', line: line(1, { text: 'a: b' }) },
      { kind: 'end', state: 'failed' },
    ],
    rest: 'id: 2\nevent: li',
  })
})

test('a stream that begins again adds no line twice', () => {
  const lines = [line(1), line(2)]
  expect(appendLines(lines, [line(2), line(3)]).map(({ n }) => n)).toEqual([1, 2, 3])
  expect(appendLines(lines, [line(1)])).toBe(lines)
})

test('the oldest lines go when there are too many', () => {
  const many = Array.from({ length: LINES_MAX }, (_, at) => line(at + 1))
  const kept = appendLines(many, [line(LINES_MAX + 1)])
  expect([kept.length, kept[0]?.n, kept.at(-1)?.n]).toEqual([LINES_MAX, 2, LINES_MAX + 1])
})

test('errors and warnings stand out on each stream', () => {
  expect(
    [
      line(1),
      line(1, { text: 'WARNING late' }),
      line(1, { stream: 'stderr' }),
      line(1, { stream: 'stderr', text: 'ERROR x' }),
      line(1, { stream: 'system' }),
    ].map(lineClass),
  ).toEqual(['', 'w', 'w', 'e', 'faint'])
})
