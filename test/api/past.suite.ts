import { expect } from 'bun:test'

import type { Answer, Client } from './client.ts'
import { createDevice, createGroup, createJob, nextOf } from './objects.ts'
import { good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const ROOT = 1

/** A job that went bad and stays so, below a device in a group. */
const stage = once(async (client: Client) => {
  const group = await createGroup(client, ROOT, { name: 'past' })
  const device = await createDevice(client, group, { name: 'device with a past' })
  const job = await createJob(client, device, {
    name: 'job with a past',
    parameters: { returnValue: [{ valueName: 'load' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
  })
  const json = { returnValue1: 95, errorCode: 3 }
  await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
  return { group, device, job }
})

const OBJECTS = ['group', 'device', 'job'] as const
const WRONG: readonly (readonly [query: string, ...pointers: string[]])[] = [
  ['states=bad', '?states/0'],
  ['states=', '?states/0'],
  ['states=major,ok', '?states/1'],
  ['recalc=yes', '?recalc'],
]
const WRONG_HISTORY: typeof WRONG = [
  ...WRONG,
  ['timestamp_begin=yesterday', '?timestamp_begin'],
  ['timestamp_end=2026-01-01', '?timestamp_end'],
  ['timestamp_begin=2999-01-01T00:00:00Z', '?timestamp_end'],
]
const WRONG_OUTAGES: typeof WRONG = [
  ...WRONG,
  ['begin=2026-01-01', '?begin'],
  ['begin=2999-01-01T00:00:00Z', '?end'],
  ['minDuration=10', '?minDuration'],
  ['minDuration=-PT1M', '?minDuration'],
  ['minDuration=P1M', '?minDuration'],
  ['mergeGap=x', '?mergeGap'],
  ['split=1', '?split'],
  ['sort=name', '?sort'],
  ['limit=0', '?limit'],
  ['limit=1001', '?limit'],
  ['cursor=x', '?cursor'],
]

const refusals: readonly Row[] = OBJECTS.flatMap((type) =>
  (['state-history', 'outages'] as const).flatMap((what): Row[] => [
    {
      title: 'a request without credentials',
      call: `GET /${type}s/{${type}}/${what}`,
      as: null,
      answers: 'unauthenticated',
    },
    { title: 'no such object', call: `GET /${type}s/999999/${what}`, answers: 'not_found' },
    {
      title: 'another type',
      call: `GET /${type}s/{${type === 'job' ? 'group' : 'job'}}/${what}`,
      answers: 'not_found',
    },
    ...(what === 'outages' ? WRONG_OUTAGES : WRONG_HISTORY).map(([query, ...pointers]): Row => ({
      title: 'wrong',
      call: `GET /${type}s/{${type}}/${what}?${query}`,
      answers: 'invalid',
      pointers,
    })),
  ]),
)

const answers: readonly Scenario[] = OBJECTS.flatMap((type): Scenario[] => [
  {
    title: `a ${type} has a history since its creation, and is down in it`,
    async run(client) {
      const id = (await stage(client))[type]
      const history = await good(client.request('GET', `/${type}s/${id}/state-history`))
      expect(history).toMatchObject({ objectId: id, objectType: type, recalc: false, truncated: false })
      const transitions = history['transitions'] as { to: string; cause: object | null }[]
      expect(transitions.at(-1)).toMatchObject({
        to: 'major',
        cause:
          type === 'job' ? null : (expect.objectContaining({ id: expect.any(Number) as number }) as object),
      })
      const samples = history['samples'] as { worst: string; shares: object }[]
      expect(samples.length).toBeGreaterThan(190)
      expect(samples.at(-1)?.worst).toBe('major')
      expect(samples[0]).toMatchObject({ worst: 'undefined', shares: { undefined: 1 } })
    },
  },
  {
    title: `an outage of a ${type} is listed once it is long enough, and while it lasts`,
    async run(client) {
      const names = await stage(client)
      const outages = await good<object[]>(
        client.request('GET', `/${type}s/${names[type]}/outages?minDuration=PT0S`),
      )
      expect(outages).toMatchObject([
        {
          objectId: names[type],
          objectType: type,
          state: 'major',
          end: null,
          active: true,
          reasons: [{ type: 'job', id: names.job, errorCode: 3 }],
        },
      ])
      expect(await good<object[]>(client.request('GET', `/${type}s/${names[type]}/outages`))).toEqual([])
      const minor = `/${type}s/${names[type]}/outages?minDuration=PT0S&states=minor,warning`
      expect(await good<object[]>(client.request('GET', minor))).toEqual([])
    },
  },
])

const twins: Scenario = {
  title: 'outages that begin within one second have ids of their own',
  async run(client) {
    const { device } = await stage(client)
    const job = await createJob(client, device, {
      name: 'quick',
      parameters: { returnValue: [{ valueName: 'load' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 90 }] } },
    })
    const second = Math.ceil(Date.now() / 1_000) * 1_000
    await Bun.sleep(second + 10 - Date.now())
    for (const [index, returnValue1] of [95, 5, 95, 5].entries()) {
      const json = { returnValue1, errorCode: 0, timestamp: new Date(second + index).toISOString() }
      await good(client.request('POST', `/webcollector/jobs/${job}/values`, { json }))
    }
    const outages = await good<{ id: string }[]>(
      client.request('GET', `/jobs/${job}/outages?minDuration=PT0S`),
    )
    expect(outages).toHaveLength(2)
    expect(new Set(outages.map(({ id }) => id)).size).toBe(2)
    for (const [sort, order] of [
      ['begin', [0, 1]],
      ['latest', [1, 0]],
    ] as const) {
      const pages: unknown[] = []
      let path: string | null = `/jobs/${job}/outages?minDuration=PT0S&limit=1&sort=${sort}`
      while (path !== null) {
        const page: Answer = await client.request('GET', path)
        pages.push(page.body)
        path = nextOf(page)
      }
      expect(pages).toEqual(order.map((index) => [outages[index]]))
    }
  },
}

export const pastSuite: Suite = {
  name: 'the past',
  scenarios: [...table(stage, refusals), ...answers, twins],
}
