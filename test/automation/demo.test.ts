import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { FIRST_NAMES } from '../../src/monitoring/jobs/service/first-job.ts'
import { runCommand } from '../../workers/bun/commands/action.ts'
import { demoCommand } from '../../workers/bun/commands/demo.ts'
import { connectAdministrator } from '../api/client.ts'
import type { Speaker } from '../api/client.ts'
import { EVERY_ROW, good } from '../api/suite.ts'
import { rejection } from '../contract/rejection.ts'
import { HOSTS_BY_HAND } from '../hosts/by-hand.ts'
import type { HostByHand } from '../hosts/by-hand.ts'
import { ADMIN } from '../hosts/host.ts'
import { readUntil } from '../until.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const TEST_MAX_MS = 180_000

type Demo = { readonly state: string; readonly groupId: number; readonly progress: number }
type Values = { readonly values: readonly { readonly timestamp: string }[] }

/** On workerd by `npm run test:edge`. */
const HOSTS = HOSTS_BY_HAND.filter(([name]) => name === 'bun' || EVERY_ROW)

describe.each(HOSTS)('the demo plant on %s', (_, start) => {
  let hand: HostByHand
  let speaker: Speaker
  let now = 0

  beforeAll(async () => {
    hand = await start()
    speaker = await connectAdministrator(hand.host)
    now = Math.ceil(Date.now() / DAY_MS) * DAY_MS
    await hand.moveTo(now)
  }, TEST_MAX_MS)
  afterAll(() => hand.host.close())

  const read = () => good<Demo>(speaker.request('GET', '/demo'))

  const untilRunning = () => readUntil(read, ({ state }) => state === 'running')

  /** The instants of the samples of a job since an instant, in minutes after it. */
  async function minutesSince(path: string, at: number): Promise<number[]> {
    const { items } = await good<{ items: { id: number }[] }>(
      speaker.request('GET', `/root/searchPath?path=${encodeURIComponent(path)}`),
    )
    const begin = encodeURIComponent(new Date(at).toISOString())
    const { values } = await good<Values>(
      speaker.request(
        'GET',
        `/jobs/${items[0]?.id}/value-history?scale=PT0S&limit=1000&timestamp_begin=${begin}`,
      ),
    )
    return values.map(({ timestamp }) => (Date.parse(timestamp) - at) / MINUTE_MS)
  }

  test('a job of the first start that has values is an object of others', async () => {
    const { id } = await good<{ id: number }>(
      speaker.request('POST', '/devices?parentId=1', { json: { name: FIRST_NAMES.device } }),
    )
    const json = { name: FIRST_NAMES.job, parameters: { returnValue: [{ valueName: 'Temperature' }] } }
    const job = await good<{ id: number }>(speaker.request('POST', `/jobs?parentId=${id}`, { json }))
    const delivery = { json: { returnValue1: 1 } }
    await good(speaker.request('POST', `/webcollector/jobs/${job.id}/values`, delivery))
    const refused = await speaker.request('POST', '/demo', { json: { seed: 'wadden' } })
    expect(refused.body['errors']).toEqual([
      { pointer: '/objects/0', message: `is the device ${id}, ${FIRST_NAMES.device}` },
    ])
    await good(speaker.request('DELETE', `/devices/${id}?recursive=true`))
  })

  test(
    'a making that is interrupted is continued',
    async () => {
      await good(speaker.request('POST', '/demo', { json: { seed: 'wadden' } }))
      while ((await read()).progress < 0.6) await Bun.sleep(20)
      now += 3 * MINUTE_MS
      await hand.awayUntil(now)
      await untilRunning()
      const anchorAt = now - 3 * MINUTE_MS
      const minutes = await minutesSince('**/Pump 1', anchorAt - 2 * DAY_MS)
      expect(minutes).toEqual(Array.from({ length: 577 }, (__, step) => step * 5))
      const { items } = await good<{ items: object[] }>(
        speaker.request('GET', '/root/searchPath?path=**&type=job'),
      )
      expect(items).toHaveLength(20)
    },
    TEST_MAX_MS,
  )

  test(
    'values go on arriving by themselves, without a gap after a night, and samples delivered again are stored once',
    async () => {
      const beginAt = now - (3 + 11 * 5) * MINUTE_MS
      // The process ended after it delivered the samples of an hour and before it noted them.
      await hand.meddle('update demo set fed_step = -12')
      await hand.passNight()
      // The session ended with the day.
      speaker = await connectAdministrator(hand.host)
      const expected = Array.from({ length: 288 }, (__, step) => step * 5)
      for (;;) {
        const minutes = await minutesSince('**/Historian server/Disk', beginAt)
        if (minutes.length >= 288) {
          expect(minutes.slice(0, 288)).toEqual(expected)
          break
        }
        await Bun.sleep(100)
      }
    },
    TEST_MAX_MS,
  )

  test(
    'the command removes the plant, also after a refusal for a recipient of others, makes it, and names a refusal',
    async () => {
      const environment = {
        TIDEMARK_URL: hand.host.url,
        TIDEMARK_USERNAME: ADMIN.username,
        TIDEMARK_PASSWORD: ADMIN.password,
      }
      const demo = async (args: readonly string[]) =>
        (await runCommand(demoCommand, args, { environment })).text
      const { items } = await good<{ items: { target: string }[] }>(
        speaker.request('GET', '/alarmrecipients'),
      )
      const target = { userId: Number(items[0]?.target.replace('user ', '')) }
      const recipient = await good<{ id: number }>(
        speaker.request('POST', '/alarmrecipients', { json: { name: 'Mine', type: 'user', target } }),
      )
      expect(String(await rejection(demo(['--remove'])))).toContain('DELETE /demo failed with status 409')
      expect(await read()).toMatchObject({ state: 'removing' })
      await good(speaker.request('DELETE', `/alarmrecipients/${recipient.id}`))
      expect(await demo(['--remove'])).toBe('The demo plant is removed.\n')
      expect(await demo(['--seed', 'two'])).toMatch(/complete: group \d+/)
      expect(String(await rejection(demo([])))).toContain('There is a demo plant already')
      expect(JSON.parse(await demo(['--remove', '--json']))).toEqual({ state: 'absent' })
      expect(String(await rejection(demo(['--sede'])))).toContain("'--sede'")
    },
    TEST_MAX_MS,
  )
})
