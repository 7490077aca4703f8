import { describe, expect, test } from 'bun:test'

import { LOG_CHUNK_MAX_BYTES, logChunk } from '../../../src/automation/runs/protocol.ts'
import type { LogChunk } from '../../../src/automation/runs/protocol.ts'
import { JobLog } from './job-log.ts'
import { maskingOf } from '../../../src/lib/masking.ts'

const logOf = (secrets: readonly string[] = []) => new JobLog(maskingOf(secrets), () => 0)

function drain(log: JobLog): LogChunk[] {
  const chunks: LogChunk[] = []
  for (let chunk = log.take(); chunk; chunk = log.take()) {
    chunks.push(logChunk.parse(chunk))
    log.sent()
  }
  return chunks
}

const numbersOf = (chunks: readonly LogChunk[]) =>
  chunks.flatMap(({ lines }) => lines.map(({ line }) => line))

describe('a log', () => {
  test('gives the same lines until they have arrived, and each once', () => {
    const log = logOf()
    for (let line = 1; line <= 3; line++) log.add('stdout', String(line))
    const first = log.take()
    log.add('stdout', '4')
    expect(log.take()).toEqual(first)
    log.sent()
    expect(drain(log)).toMatchObject([{ sequence: 2, lines: [{ line: 4, text: '4' }] }])
    expect(log.take()).toBeNull()
  })

  test('keeps 1,000 lines whole, and says nothing of it', () => {
    const log = logOf()
    for (let line = 1; line <= 1_000; line++) log.add('stdout', String(line))
    log.close()
    expect(numbersOf(drain(log))).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1))
  })

  test('of 1,001 keeps the first 100 and the last 900, and says so', () => {
    const log = logOf()
    for (let line = 1; line <= 1_000; line++) log.add('stdout', String(line))
    log.add('stdout', '1001')
    log.close()
    const chunks = drain(log)
    expect(numbersOf(chunks)).toEqual([
      ...Array.from({ length: 100 }, (_, index) => index + 1),
      ...Array.from({ length: 900 }, (_, index) => index + 103),
    ])
    expect(chunks.at(-1)?.lines.at(-1)).toMatchObject({ stream: 'system', line: 1_002 })
    expect(chunks.at(-1)?.lines.at(-1)?.text).toContain('2 of 1002 lines were dropped.')
  })

  test('sends no chunk that the service would refuse, with any content', () => {
    for (const text of ['a', '\0', '€', '𝄞'].map((unit) => unit.repeat(10_000 / unit.length))) {
      const log = logOf()
      for (let line = 1; line <= 600; line++) log.add('stderr', text)
      const chunks = drain(log)
      for (const chunk of chunks)
        expect(Buffer.byteLength(JSON.stringify(chunk))).toBeLessThanOrEqual(LOG_CHUNK_MAX_BYTES)
      expect(numbersOf(chunks)).toHaveLength(600)
    }
  })

  test('shows no half of a secret where a line is cut', () => {
    const log = logOf(['a secret of mine'])
    log.add('stdout', `${'x'.repeat(9_990)} a secret of mine`)
    log.add('stdout', `${'a secret of mine '.repeat(2_000)}a secret of`, true)
    const texts = drain(log).flatMap(({ lines }) => lines.map(({ text }) => text))
    for (const text of texts) expect(text).not.toContain('a s')
    expect(texts.map((text) => text.at(-1))).toEqual(['*', '…'])
  })
})
