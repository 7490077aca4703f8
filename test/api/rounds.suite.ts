import { expect } from 'bun:test'

import { history } from './bulk.suite.ts'
import type { Answer, Client, Request } from './client.ts'
import { bothWays, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Round = Readonly<Record<string, unknown>> & { readonly status: number }
type Rounds = { readonly rounds: readonly Round[] }

const BULK = 'POST /webcollector/values'
const PARAMETERS = { timeout: 'PT15M', returnValue: [{ valueName: 'a' }], stringValue: [{ valueName: 'b' }] }

const stage = once(async (client) => {
  const device = await makeDevice(client)
  const make = (fields: object = {}) => makeJob(client, device, { parameters: PARAMETERS, ...fields })
  return { one: await make(), two: await make(), three: await make(), stopped: await make({ stopped: true }) }
})

const round = (jobIds: readonly unknown[], fields: object = {}) => ({
  key: 'returnValue1',
  jobIds,
  values: jobIds.map((_, index) => index + 1),
  ...fields,
})
const send = (client: Client, json: unknown, request: Request = {}): Promise<Answer> =>
  client.request('POST', '/webcollector/values', { json, as: 'collector', ...request })
const taken = async (client: Client, rounds: readonly unknown[], request: Request = {}) =>
  (await good<Rounds>(send(client, { rounds }, request))).rounds

const refusals: readonly Row[] = [
  { title: 'rounds beside deliveries', json: { rounds: [], deliveries: [] }, pointers: ['/rounds'] },
  { title: 'rounds beside series', json: { rounds: [], series: [] }, pointers: ['/rounds'] },
  { title: 'no list of rounds', json: { rounds: {} }, pointers: ['/rounds'] },
  { title: '10,001 rounds', json: { rounds: Array(10_001).fill(1) }, pointers: ['/rounds'] },
  {
    title: '100,001 values in rounds',
    json: {
      rounds: [...Array<object>(10).fill(round(Array<number>(10_000).fill(1))), round([1])],
    },
    pointers: ['/rounds'],
  },
].map((row) => ({ ...row, call: BULK, as: 'collector', answers: 'invalid' }))

/** Rounds that are refused whole, and where they are wrong. */
const FAULTS: readonly (readonly [title: string, round: unknown, pointers: readonly string[]])[] = [
  ['no round', 'x', ['']],
  ['no jobs', round([]), ['/jobIds']],
  ['10,001 jobs', round(Array<number>(10_001).fill(1)), ['/jobIds', '/values']],
  ['a job by name', round([1, '2']), ['/jobIds/1']],
  ['fewer values', round([1, 2], { values: [1] }), ['/values']],
  ['text for a number', round([1, 2], { values: [1, 'x'] }), ['/values/1']],
  ['half a millisecond', round([1], { timestamp: 0.5 }), ['/timestamp']],
  ['an instant as text', round([1], { timestamp: '2026-03-02T09:00:00Z' }), ['/timestamp']],
  ['no key', round([1], { key: 'errorCode' }), ['/key']],
  ['another field', round([1], { errorCode: 0 }), ['/errorCode']],
]

const scenarios: readonly Scenario[] = [
  ...FAULTS.map(([title, wrong, pointers]): Scenario => ({
    title: `a round with ${title} is rejected alone`,
    decidedAbovePorts: 'rounds',
    async run(client) {
      const { two } = await stage(client)
      const [first, second, third] = await taken(client, [round([two]), wrong, round([two])])
      expect([first?.status, second?.status, third?.status]).toEqual([200, 422, 200])
      const errors = second?.['errors'] as { pointer: string }[]
      expect(errors.map(({ pointer }) => pointer)).toEqual(pointers.map((one) => `/rounds/1${one}`))
    },
  })),
  {
    title: 'a round is a delivery to each of its jobs, and lists those that it could not make',
    async run(client) {
      const { one, three, stopped } = await stage(client)
      const timestamp = Date.now() - 60_000
      const jobIds = [one, 999_999, stopped, three, one]
      const rounds = await taken(client, [
        round(jobIds, { timestamp }),
        round([one], { timestamp: timestamp - 1 }),
        round([one], { key: 'stringValue1', values: ['x'] }),
        round([one], { key: 'returnValue2' }),
      ])
      expect(rounds).toEqual([
        {
          status: 200,
          accepted: 3,
          late: 0,
          refused: [
            { index: 1, code: 'not_found' },
            { index: 2, code: 'job_stopped' },
          ],
        },
        { status: 200, accepted: 1, late: 1, refused: [] },
        { status: 200, accepted: 1, late: 0, refused: [] },
        { status: 200, accepted: 0, late: 0, refused: [{ index: 0, code: 'value_not_defined' }] },
      ])
      expect(await history(client, Number(one))).toEqual([1, 1, 5])
      expect(await history(client, Number(one), 'stringValue1')).toEqual(['x'])
    },
  },
  {
    title: 'a round with a key is stored once; a repetition completes it',
    async run(client) {
      const device = await makeDevice(client)
      const fields = { parameters: PARAMETERS }
      const [id, late] = [
        await makeJob(client, device, fields),
        await makeJob(client, device, { ...fields, stopped: true }),
      ]
      const headers = { 'idempotency-key': 'round' }
      const again = () => send(client, { rounds: [round([id, late, id])] }, { headers })
      expect((await again()).headers.get('idempotency-replayed')).toBeNull()
      const second = await again()
      expect(second.headers.get('idempotency-replayed')).toBe('true')
      const refused = [{ index: 1, code: 'job_stopped' }]
      expect((second.body as unknown as Rounds).rounds).toEqual([
        { status: 200, accepted: 2, late: 0, refused, replayed: true },
      ])
      await good(client.request('PUT', `/jobs/${late}`, { json: { name: 'x', ...fields, stopped: false } }))
      const third = await again()
      expect(third.headers.get('idempotency-replayed')).toBeNull()
      expect(await history(client, id)).toEqual([1, 3])
      expect(await history(client, late)).toEqual([2])
    },
  },
  {
    title: 'a round may have 10,000 values',
    async run(client) {
      const { two } = await stage(client)
      const rounds = await taken(client, [round(Array<number>(10_000).fill(Number(two)))])
      expect(rounds).toEqual([{ status: 200, accepted: 10_000, late: 0, refused: [] }])
    },
  },
]

export const roundsSuite: Suite = {
  name: 'rounds',
  scenarios: [...table(stage, bothWays(refusals)), ...scenarios],
}
