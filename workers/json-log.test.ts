import { expect, test } from 'bun:test'
import { jsonLog } from './json-log.ts'

test('an error without a stack is logged with its name and message', async () => {
  const lines: string[] = []
  const limit = AbortSignal.timeout(0)
  await new Promise((resolve) => limit.addEventListener('abort', resolve))
  jsonLog((line) => lines.push(line)).error('refused', limit.reason)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { level: 'error', message: 'refused', cause: expect.stringContaining('TimeoutError: ') as string },
  ])
})
