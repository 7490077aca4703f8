import { expect, test } from 'bun:test'

import type { LogFields } from '../ports/log.ts'
import { withAccessLog } from './access-log.ts'
import { recorded, requestFiguresOf } from './request-figures.ts'

type LoggingPorts = Parameters<typeof withAccessLog>[1]

test('a request takes as long as the steady clock says while the wall clock is set back', async () => {
  let [now, steady] = [10_000, 0]
  const logged: LogFields[] = []
  const ports = {
    clock: { now: () => now, monotonic: () => steady },
    log: { info: (_message: string, fields: LogFields = {}) => void logged.push(fields) },
    network: { addressOf: () => '::1' },
    settings: { logsAccess: true },
  } as unknown as LoggingPorts
  const handle = withAccessLog(async () => {
    await Promise.resolve()
    now -= 5_000
    steady += 20
    return new Response()
  }, ports)
  await recorded(ports, 'other', handle(new Request('https://a.example/healthz')))
  expect(logged).toMatchObject([{ durationMs: 20 }])
  expect(requestFiguresOf(ports).durations.other.sumS).toBe(0.02)
})
