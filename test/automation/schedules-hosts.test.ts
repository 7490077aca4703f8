import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { connectAdministrator } from '../api/client.ts'
import type { Speaker } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'

const HOUR_MS = 3_600_000
const START_MAX_MS = 180_000

describe.each(HOSTS_BY_HAND)('schedules on %s', (_, start) => {
  let hand: HostByHand
  let speaker: Speaker
  /** The beginning of an hour. */
  let from = 0

  beforeAll(async () => {
    hand = await start()
    speaker = await connectAdministrator(hand.host)
    from = Math.ceil(Date.now() / HOUR_MS) * HOUR_MS
    await hand.moveTo(from)
  }, START_MAX_MS)
  afterAll(() => hand.host.close())

  async function schedule(name: string, json: object) {
    const { id } = await good<{ id: number }>(speaker.request('POST', '/scripts', { json: { name } }))
    await good(speaker.request('PUT', `/scripts/${id}/files/run.sh`, { text: 'true' }))
    await good(speaker.request('POST', `/scripts/${id}/scheduleConfigurations`, { json: { name, ...json } }))
    return async () => {
      const jobs = await good<{ queuedAt: string; trigger: string }[]>(
        speaker.request('GET', `/scripts/${id}/jobs`),
      )
      expect(jobs.every(({ trigger }) => trigger === 'schedule')).toBe(true)
      return jobs.map(({ queuedAt }) => (Date.parse(queuedAt) - from) / HOUR_MS).reverse()
    }
  }

  test('each runs when it is due, by itself; and what was due while the host was away is missed or run once', async () => {
    const skipping = await schedule('skipping', { cron: '0 * * * *', timeZone: 'UTC' })
    const making = await schedule('making up', { cron: '30 */2 * * *', timeZone: 'UTC', misfire: 'run_once' })
    const [even, odd] = new Date(from).getUTCHours() % 2 === 0 ? [[0.5, 2.5], 6.1] : [[1.5], 6.1]
    await hand.moveTo(from + 3 * HOUR_MS)
    expect(await skipping()).toEqual([1, 2, 3])
    expect(await making()).toEqual(even)
    await hand.awayUntil(from + 6.1 * HOUR_MS)
    await hand.moveTo(from + 7 * HOUR_MS)
    expect(await skipping()).toEqual([1, 2, 3, 7])
    const made = await making()
    expect(made.slice(0, even.length + 1)).toEqual([...even, odd])
    expect(made.slice(even.length + 1).every((at) => at > 6.1)).toBe(true)
  })
})
