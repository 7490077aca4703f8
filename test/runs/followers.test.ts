import { expect, test } from 'bun:test'

import { streamLog } from '../../src/automation/runs/service/log-stream.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'

const FOLLOWERS_MAX = 200

test('followers of logs that are lost leave their places, also after the clock was set back', async () => {
  const opened = await openPorts()
  const { ports, clock } = opened
  const context = administratorOf(ports)
  // Nothing is heard of a follower whose request was dropped.
  const again = () => new Promise<never>(() => undefined)
  const follow = () => streamLog(context, 'j_none', { offset: 0, again })
  try {
    const lost: Promise<unknown>[] = []
    while (lost.length < FOLLOWERS_MAX) {
      const reader = follow().getReader()
      await reader.read()
      lost.push(reader.read())
    }
    await Bun.sleep(0)
    expect(follow).toThrow('Too many log streams are open.')
    clock.at -= 3_600_000
    await follow().cancel()
  } finally {
    await opened.close()
  }
})
