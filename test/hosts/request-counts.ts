import { join } from 'node:path'

import type { BunPlugin } from 'bun'

import { startEdge } from './edge.ts'
import type { Counts } from './counts.ts'
import type { Moved } from './hand-worker.ts'

const byHand: BunPlugin = {
  name: 'by hand',
  setup(build) {
    build.onResolve({ filter: /^\.\/clock\.ts$/ }, ({ importer }) =>
      importer.includes('workers/edge/') ? { path: join(import.meta.dir, 'hand-clock.ts') } : undefined,
    )
  },
}

/** The edge with its clock moved by hand, which counts what the platform bills. */
export async function startCountingEdge() {
  const host = await startEdge({ plugin: byHand, entry: join(import.meta.dir, 'counting-worker.ts') })
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
