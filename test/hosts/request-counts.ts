import { join } from 'node:path'

import { HAND_CLOCK, startEdge } from './edge.ts'
import type { Counts } from './counts.ts'
import type { Moved } from './hand-worker.ts'

/** The edge with its clock moved by hand, which counts what the platform bills. */
export async function startCountingEdge() {
  const host = await startEdge({
    plugin: HAND_CLOCK,
    entry: join(import.meta.dirname, 'counting-worker.ts'),
    hashing: 'in-steps',
  })
  const post = async (path: string, body: unknown) => {
    const answer = await fetch(host.url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      keepalive: false,
    })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  let now = Date.now()
  /** Lets time pass; alarms ring when they are due. A cron trigger fires at the end, if one is named. */
  const passMs = (ms: number, cron: string | null = null) => {
    const moved: Moved = { to: (now += ms), alarms: 'in time', cron }
    return post('/by-hand', moved)
  }
  await passMs(0)
  return {
    host,
    passMs,
    now: () => now,
    /** Takes all objects of jobs out of memory, as the platform does after ten seconds. */
    cool: () => post('/by-hand/cool', null),
    /** What was counted since this was asked last. */
    counts: async () => (await (await fetch(`${host.url}/counts`, { keepalive: false })).json()) as Counts,
    close: () => host.close(),
  }
}
