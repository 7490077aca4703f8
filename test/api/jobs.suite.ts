import { expect } from 'bun:test'

import { ROLES } from '../../src/context.ts'
import type { Client } from './client.ts'
import { anyText, call, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Job = Readonly<Record<string, unknown>> & { readonly id: number; readonly parameters: object }

const CREATE = 'POST /jobs?parentType=device&parentId={device}'
const ALL = 'thresholds=true&values=true'
const READERS = ROLES.filter((role) => role !== 'administrator' && role !== 'editor')

const stage = once(async (client) => {
  const device = await makeDevice(client)
  const { editor, collector } = client.userIds
  return { device, job: await makeJob(client, device), editor, collector }
})

const refusals: readonly Row[] = [
  ...[CREATE, 'GET /jobs/{job}', 'PUT /jobs/{job}', 'DELETE /jobs/{job}'].map((line): Row => ({
    title: 'a request without credentials',
    call: line,
    as: null,
    answers: 'unauthenticated',
  })),
  ...READERS.flatMap((as): Row[] => [
    { title: as, call: CREATE, as, json: { name: 'x' }, answers: 'forbidden' },
    { title: as, call: 'PUT /jobs/{job}', as, json: { name: 'x' }, answers: 'forbidden' },
    { title: as, call: 'DELETE /jobs/{job}', as, answers: 'forbidden' },
  ]),
  ...['999999', '1', '{device}', '0', 'x'].flatMap((id): Row[] => [
    { title: 'no job', call: `GET /jobs/${id}`, answers: 'not_found' },
    { title: 'no job', call: `PUT /jobs/${id}`, json: { name: 'x' }, answers: 'not_found' },
    { title: 'no job', call: `DELETE /jobs/${id}`, answers: 'not_found' },
  ]),
  { title: 'no device', call: 'POST /jobs?parentId=999999', json: { name: 'x' }, answers: 'not_found' },
  {
    title: 'a group as the device',
    call: 'POST /jobs?parentId=1',
    json: { name: 'x' },
    answers: 'not_found',
  },
  {
    title: 'a job as the device',
    call: 'POST /jobs?parentId={job}',
    json: { name: 'x' },
    answers: 'not_found',
  },
  {
    title: 'no parent',
    call: 'POST /jobs',
    json: { name: 'x' },
    answers: 'invalid',
    pointers: ['?parentId'],
  },
  {
    title: 'an unknown parent',
    call: 'POST /jobs?parentId=x',
    json: { name: 'x' },
    answers: 'invalid',
    pointers: ['?parentId'],
  },
  {
    title: 'below a group',
    call: 'POST /jobs?parentType=group&parentId=1',
    json: { name: 'x' },
    answers: 'invalid',
    pointers: ['?parentType'],
  },
  {
    title: 'a move to an unknown device',
    call: 'PUT /jobs/{job}',
    json: { name: 'x', deviceId: 999_999 },
    answers: 'invalid',
    pointers: ['/deviceId'],
  },
  {
    title: 'a move below a group',
    call: 'PUT /jobs/{job}',
    json: { name: 'x', parentId: 1 },
    answers: 'invalid',
    pointers: ['/parentId'],
  },
  {
    title: 'a stale tag',
    call: 'PUT /jobs/{job}',
    json: { name: 'x' },
    headers: { 'if-match': '"0"' },
    answers: 'precondition_failed',
  },
  {
    title: 'an invalid tag',
    call: 'PUT /jobs/{job}',
    json: { name: 'x' },
    headers: { 'if-match': 'x' },
    answers: 'precondition_failed',
  },
  {
    title: 'a collector that is the administrator',
    call: CREATE,
    json: { name: 'x', collectorId: 1 },
    answers: 'invalid',
    pointers: ['/collectorId'],
  },
  {
    title: 'an unknown collector',
    call: 'PUT /jobs/{job}',
    json: { name: 'x', collectorId: 999_999 },
    answers: 'invalid',
    pointers: ['/collectorId'],
  },
  {
    title: 'a forced state without a state',
    call: CREATE,
    json: { name: 'x', stateForced: true },
    answers: 'invalid',
    pointers: ['/currentState'],
  },
]

const value = (fields: object = {}) => ({ valueName: 'a value', ...fields })
const values = (count: number) =>
  Array.from({ length: count }, (_, index) => value({ valueName: `value ${index}` }))
const condition = (fields: object = {}) => ({ key: 'returnValue1', operator: '>', value: 1, ...fields })
const limitsOf = (...conditions: object[]) => ({ thresholds: { major: { mode: 'or', conditions } } })
const many = (count: number) => Array.from({ length: count }, () => condition())
const ahead = (fields: object) => limitsOf(condition({ inFuture: { within: 'PT1H', ...fields } }))
const adaptive = (fields: object = {}) =>
  limitsOf(condition({ adaptiveValues: { window: 'P28D', ...fields } }))
const propertiesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: `key ${index}`, value: '' }))
const long = (length: number) => 'x'.repeat(length)

/** A job without its bands, which are computed after the answer. */
const unbanded = (job: Readonly<Record<string, unknown>>) => ({ ...job, bands: null })

/** The faults of a body, and their places. */
const FAULTS: readonly (readonly [fields: object, ...pointers: string[]])[] = [
  [{ name: undefined }, '/name'],
  [{ name: '' }, '/name'],
  [{ name: ' \t ' }, '/name'],
  [{ name: long(256) }, '/name'],
  [{ name: 'a\0b' }, '/name'],
  [{ name: 'a\u0007b' }, '/name'],
  [{ name: 7 }, '/name'],
  [{ unknown: 1, colour: 2 }, '/unknown', '/colour'],
  [{ subType: 'script' }, '/subType'],
  [{ instanceType: 'other' }, '/instanceType'],
  [{ isTemplate: 'yes' }, '/isTemplate'],
  [{ stopped: 'true' }, '/stopped'],
  [{ stopped: null }, '/stopped'],
  [{ collectorId: -1 }, '/collectorId'],
  [{ collectorId: 1.5 }, '/collectorId'],
  [{ currentState: 'Minor' }, '/currentState'],
  [{ stateForced: true, currentState: 'unknown' }, '/currentState'],
  [{ interval: 'ten minutes' }, '/interval'],
  [{ interval: '-PT1M' }, '/interval'],
  [{ interval: 'P1M' }, '/interval'],
  [{ interval: 'P367D' }, '/interval'],
  [{ interval: 600 }, '/interval'],
  [{ parameters: { unknown: 1 } }, '/parameters/unknown'],
  [{ parameters: { intervalMode: 3 } }, '/parameters/intervalMode'],
  [{ parameters: { intervalMode: -1 } }, '/parameters/intervalMode'],
  [{ parameters: { filename: long(256) } }, '/parameters/filename'],
  [{ parameters: { timeout: 'PT0S' } }, '/parameters/timeout'],
  [{ parameters: { timeout: '-PT5M' } }, '/parameters/timeout'],
  [{ parameters: { timeout: 'P1Y' } }, '/parameters/timeout'],
  [{ parameters: { timeout: 'P367D' } }, '/parameters/timeout'],
  [{ parameters: { timeout: '' } }, '/parameters/timeout'],
  [{ parameters: { grace: 'PT0S' } }, '/parameters/grace'],
  [{ parameters: { retention: { raw: 'PT23H' } } }, '/parameters/retention/raw'],
  [{ parameters: { retention: { hours: 'P36601D' } } }, '/parameters/retention/hours'],
  [{ parameters: { retention: { raw: 'P900D' } } }, '/parameters/retention/minutes'],
  [{ parameters: { retention: { days: 'P1D' } } }, '/parameters/retention/days'],
  [{ parameters: { returnValue: values(65) } }, '/parameters/returnValue'],
  [{ parameters: { stringValue: values(65) } }, '/parameters/stringValue'],
  [{ parameters: { returnValue: {} } }, '/parameters/returnValue'],
  [{ parameters: { returnValue: [value(), {}] } }, '/parameters/returnValue/1/valueName'],
  [{ parameters: { returnValue: [value({ valueName: '' })] } }, '/parameters/returnValue/0/valueName'],
  [{ parameters: { returnValue: [value({ valueName: long(256) })] } }, '/parameters/returnValue/0/valueName'],
  [{ parameters: { returnValue: [value({ valueUnit: long(256) })] } }, '/parameters/returnValue/0/valueUnit'],
  [{ parameters: { returnValue: [value({ valueDivisor: 0 })] } }, '/parameters/returnValue/0/valueDivisor'],
  [{ parameters: { returnValue: [value({ valueDivisor: -1 })] } }, '/parameters/returnValue/0/valueDivisor'],
  [
    { parameters: { returnValue: [value({ valuePrecision: -1 })] } },
    '/parameters/returnValue/0/valuePrecision',
  ],
  [
    { parameters: { returnValue: [value({ valuePrecision: 21 })] } },
    '/parameters/returnValue/0/valuePrecision',
  ],
  [
    { parameters: { returnValue: [value({ valuePrecision: 1.5 })] } },
    '/parameters/returnValue/0/valuePrecision',
  ],
  [
    { parameters: { returnValue: [value({ valueDescription: long(4001) })] } },
    '/parameters/returnValue/0/valueDescription',
  ],
  [{ parameters: { stringValue: [value({ valueDivisor: 1 })] } }, '/parameters/stringValue/0/valueDivisor'],
  [
    { parameters: { returnValue: [value({ valueMax: 1 }), 3] } },
    '/parameters/returnValue/0/valueMax',
    '/parameters/returnValue/1',
  ],
  [{ thresholds: { critical: { conditions: [] } } }, '/thresholds/critical'],
  [{ thresholds: { major: {} } }, '/thresholds/major/conditions'],
  [{ thresholds: { minor: { mode: 'xor', conditions: [] } } }, '/thresholds/minor/mode'],
  [limitsOf(...many(33)), '/thresholds/major/conditions'],
  [limitsOf(condition({ key: 'returnValue0' })), '/thresholds/major/conditions/0/key'],
  [limitsOf(condition({ key: 'returnValue' })), '/thresholds/major/conditions/0/key'],
  [limitsOf(condition({ key: 'returnValue100' })), '/thresholds/major/conditions/0/key'],
  [limitsOf(condition({ operator: '!=' })), '/thresholds/major/conditions/0/operator'],
  [limitsOf(condition({ operator: 'contains' })), '/thresholds/major/conditions/0/operator'],
  [
    limitsOf(condition({ key: 'stringValue1', operator: '>', value: 'a' })),
    '/thresholds/major/conditions/0/operator',
  ],
  [limitsOf(condition({ key: 'stringValue1', operator: '=' })), '/thresholds/major/conditions/0/value'],
  [limitsOf(condition({ value: '1' })), '/thresholds/major/conditions/0/value'],
  [limitsOf(condition({ value: null })), '/thresholds/major/conditions/0/value'],
  [
    limitsOf(condition({ key: 'stringValue1', operator: '=', value: long(4097) })),
    '/thresholds/major/conditions/0/value',
  ],
  [limitsOf(condition({ repetition: -1 })), '/thresholds/major/conditions/0/repetition'],
  [limitsOf(condition({ repetition: 10_001 })), '/thresholds/major/conditions/0/repetition'],
  [limitsOf(condition({ recovery: { value: 'x' } })), '/thresholds/major/conditions/0/recovery/value'],
  [limitsOf(condition({ recovery: {} })), '/thresholds/major/conditions/0/recovery/value'],
  [limitsOf(condition({ inFuture: 'PT0S' })), '/thresholds/major/conditions/0/inFuture'],
  [limitsOf(condition({ inFuture: 'P90DT1S' })), '/thresholds/major/conditions/0/inFuture'],
  [ahead({ within: 'P90DT1S' }), '/thresholds/major/conditions/0/inFuture/within'],
  [ahead({ window: 'PT9M59S' }), '/thresholds/major/conditions/0/inFuture/window'],
  [ahead({ window: 'P90DT1S' }), '/thresholds/major/conditions/0/inFuture/window'],
  [ahead({ method: 'cubic' }), '/thresholds/major/conditions/0/inFuture'],
  [ahead({ method: 'forecast' }), '/thresholds/major/conditions/0/inFuture/forecastId'],
  [ahead({ forecastId: 1 }), '/thresholds/major/conditions/0/inFuture/forecastId'],
  [ahead({ bound: 'upper' }), '/thresholds/major/conditions/0/inFuture/bound'],
  [
    ahead({ method: 'forecast', forecastId: 1, window: 'PT1H' }),
    '/thresholds/major/conditions/0/inFuture/window',
  ],
  [ahead({ method: 'forecast', forecastId: 1, level: 49 }), '/thresholds/major/conditions/0/inFuture/level'],
  [
    limitsOf(condition({ inFuture: 'PT1H', adaptiveValues: { window: 'P28D' } })),
    '/thresholds/major/conditions/0/adaptiveValues',
  ],
  [
    limitsOf(condition({ operator: '=', inFuture: 'PT1H' }), condition({ operator: '<>', inFuture: 'PT1H' })),
    '/thresholds/major/conditions/0/operator',
    '/thresholds/major/conditions/1/operator',
  ],
  [limitsOf(condition({ key: 'errorCode', inFuture: 'PT1H' })), '/thresholds/major/conditions/0/inFuture'],
  [
    limitsOf(condition({ key: 'stringValue1', operator: '=', value: '', inFuture: 'PT1H' })),
    '/thresholds/major/conditions/0/inFuture',
  ],
  [adaptive({ season: 'year' }), '/thresholds/major/conditions/0/adaptiveValues/season'],
  [adaptive({ factor: 0 }), '/thresholds/major/conditions/0/adaptiveValues/factor'],
  [adaptive({ minSamples: 0 }), '/thresholds/major/conditions/0/adaptiveValues/minSamples'],
  [adaptive({ source: 'model' }), '/thresholds/major/conditions/0/adaptiveValues/source'],
  [adaptive({ factor: 1_000.1 }), '/thresholds/major/conditions/0/adaptiveValues/factor'],
  [adaptive({ minWidth: -0.1 }), '/thresholds/major/conditions/0/adaptiveValues/minWidth'],
  [adaptive({ offset: -0.1 }), '/thresholds/major/conditions/0/adaptiveValues/offset'],
  [adaptive({ exclude: ['weekends'] }), '/thresholds/major/conditions/0/adaptiveValues/exclude/0'],
  [adaptive({ bucket: 'PT25M' }), '/thresholds/major/conditions/0/adaptiveValues/bucket'],
  [adaptive({ bucket: 'PT20M' }), '/thresholds/major/conditions/0/adaptiveValues/bucket'],
  [adaptive({ window: 'PT2H59M' }), '/thresholds/major/conditions/0/adaptiveValues/window'],
  [
    adaptive({ season: 'none', bucket: 'PT5M', window: 'PT833H25M' }),
    '/thresholds/major/conditions/0/adaptiveValues/window',
  ],
  [adaptive({ side: 'below' }), '/thresholds/major/conditions/0/adaptiveValues/side'],
  [
    limitsOf(condition({ operator: '<=', adaptiveValues: { side: 'above' } })),
    '/thresholds/major/conditions/0/adaptiveValues/side',
  ],
  [limitsOf(condition({ operator: '=', adaptiveValues: {} })), '/thresholds/major/conditions/0/operator'],
  [
    limitsOf(condition({ key: 'errorCode', adaptiveValues: {} })),
    '/thresholds/major/conditions/0/adaptiveValues',
  ],
  [{ properties: propertiesOf(201) }, '/properties'],
  [
    {
      properties: [
        { key: 'a', value: '' },
        { key: 'a', value: '' },
      ],
    },
    '/properties/1/key',
  ],
  [{ properties: [{ key: '', value: '' }] }, '/properties/0/key'],
  [{ properties: [{ key: 'a', value: long(4001) }] }, '/properties/0/value'],
]

const faults = FAULTS.flatMap(([fields, ...pointers]): Row[] =>
  [CREATE, 'PUT /jobs/{job}'].map((line) => ({
    title: `faults at ${pointers.join(' and ')}`,
    call: line,
    json: { name: 'x', ...fields },
    answers: 'invalid',
    pointers,
  })),
)

/** The other side of each bound. */
const FITTING: readonly (readonly [title: string, fields: object])[] = [
  ['a name of 255 characters', { name: long(255) }],
  ['a window of 3 buckets', adaptive({ window: 'PT3H', factor: 1_000, minWidth: 0, offset: 0 })],
  [
    'a window of 10,000 buckets',
    adaptive({ season: 'none', bucket: 'PT5M', window: 'PT833H20M', exclude: [], side: 'both' }),
  ],
  ['a week of 336 cells', adaptive({ bucket: 'PT30M' })],
  ['a look-ahead of 90 days', limitsOf(condition({ inFuture: 'P90D' }))],
  ['a window of 10 minutes', ahead({ within: 'P90D', window: 'PT10M' })],
  ['a window of 90 days', ahead({ within: 'PT1S', window: 'P90D' })],
  ['a name of 255 characters and spaces around it', { name: ` ${long(255)} ` }],
  ['a name of one character', { name: 'é' }],
  ['64 numbers and 64 strings', { parameters: { returnValue: values(64), stringValue: values(64) } }],
  [
    '32 conditions on each level',
    {
      thresholds: {
        major: { conditions: many(32) },
        minor: { conditions: many(32) },
        warning: { conditions: many(32) },
      },
    },
  ],
  ['no conditions', { thresholds: { major: { conditions: [] } } }],
  ['no levels', { thresholds: {} }],
  [
    'the shortest and the longest timeout',
    { stopped: true, parameters: { timeout: 'PT0.001S', grace: 'P366D' } },
  ],
  ['an interval of a year', { interval: 'P366D' }],
  ['weeks and fractions', { interval: 'P1W2DT3H4M5.678S' }],
  [
    'the greatest precision',
    { parameters: { returnValue: [value({ valuePrecision: 20 }), value({ valuePrecision: 0 })] } },
  ],
  [
    'a tiny and a huge divisor',
    { parameters: { returnValue: [value({ valueDivisor: 1e-300 }), value({ valueDivisor: 1e300 })] } },
  ],
  ['the greatest repetition', limitsOf(condition({ repetition: 10_000 }), condition({ repetition: 0 }))],
  [
    'a long text as a limit',
    limitsOf(condition({ key: 'stringValue64', operator: 'matches', value: long(4096) })),
  ],
  ['200 properties', { properties: propertiesOf(200) }],
  ['a long property', { properties: [{ key: long(255), value: long(4000) }] }],
  [
    'the longest description and filename',
    {
      parameters: {
        filename: long(255),
        returnValue: [value({ valueDescription: long(4000), valueUnit: long(255) })],
      },
    },
  ],
]

const fitting: Scenario[] = FITTING.map(([title, fields]) => ({
  title: `${title} can be created, read, and put back`,
  decidedAbovePorts: 'fields of jobs',
  async run(client) {
    const { device } = await stage(client)
    const made = await good<Job>(
      client.request('POST', `/jobs?parentId=${device}`, { json: { name: 'x', ...fields } }),
    )
    expect(unbanded(await readJob(client, made.id))).toEqual(unbanded(made))
    const put = await good<Job>(client.request('PUT', `/jobs/${made.id}`, { json: made }))
    expect(unbanded(put)).toEqual(unbanded(made))
    await good(client.request('DELETE', `/jobs/${made.id}`))
  },
}))

/** A job in which no field has its default. */
const FULL = {
  subType: 'webcollector',
  name: 'Round trip to Zürich',
  properties: [
    { key: 'floor', value: '3' },
    { key: 'owner', value: 'Ada' },
  ],
  isTemplate: true,
  instanceType: 'instance',
  interval: 'PT5M',
  stopped: false,
  parameters: {
    intervalMode: 2,
    filename: 'ping.sh',
    timeout: 'PT15M',
    healsOnData: true,
    grace: 'PT1M',
    retention: { raw: 'P2D', minutes: 'P20D', hours: 'P36600D' },
    returnValue: [
      {
        valueName: 'Round trip',
        valueUnit: 'ms',
        valueDivisor: 1000,
        valuePrecision: 1,
        valueDescription: 'there and back',
      },
      { valueName: 'Lost', valueUnit: '%', valueDivisor: 1, valueDescription: '' },
    ],
    stringValue: [{ valueName: 'Version', valueUnit: 'v', valueDescription: 'of the target' }],
  },
  stateForced: true,
  flapping: { startPercent: 40, endPercent: 12.5 },
  currentState: 'minor',
  thresholds: {
    major: {
      mode: 'and',
      conditions: [
        {
          key: 'returnValue1',
          operator: '>=',
          value: 0.5,
          repetition: 3,
          inFuture: { within: 'PT1H', method: 'linear', window: 'PT64M' },
          adaptiveValues: null,
          recovery: { value: 0.25, repetition: 2 },
        },
        {
          key: 'stringValue1',
          operator: 'not_contains',
          value: 'beta',
          repetition: 1,
          inFuture: null,
          adaptiveValues: null,
          recovery: null,
        },
      ],
    },
    minor: {
      mode: 'or',
      conditions: [
        {
          key: 'returnValue2',
          operator: '<>',
          value: 0,
          repetition: 0,
          inFuture: null,
          adaptiveValues: {
            source: 'history',
            window: 'P7D',
            season: 'day',
            bucket: 'PT30M',
            method: 'mad',
            factor: 2.5,
            side: 'above',
            minSamples: 5,
            minWidth: 0.5,
            exclude: [],
            offset: 1,
          },
          recovery: null,
        },
      ],
    },
    warning: { mode: 'or', conditions: [] },
  },
}

const DEFAULTS = {
  type: 'job',
  subType: 'webcollector',
  permissions: { read: true, write: true, execute: true, maintain: true },
  properties: [],
  isTemplate: false,
  instanceType: 'none',
  templateId: null,
  collectorId: 0,
  interval: 'PT0S',
  stopped: false,
  parameters: {
    intervalMode: 0,
    filename: '',
    timeout: null,
    healsOnData: false,
    grace: null,
    retention: { raw: 'P400D', minutes: 'P800D', hours: 'P3660D' },
    returnValue: [],
    stringValue: [],
  },
  currentState: 'ok',
  evaluatedState: 'ok',
  stateForced: false,
  errorCode: 0,
  message: null,
  lastReceivedAt: null,
  nextTimeoutAt: null,
  flapping: null,
  isFlapping: false,
  predictions: [],
  bands: [],
  limits: { unknown: null },
  thresholds: {},
  values: {},
}

const fields: Scenario[] = [
  {
    title: 'a job with only a name has the defaults, and its location and tag are those of a read',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device } = await stage(client)
      const created = await call(client, CREATE, { names: { device }, json: { name: 'plain' } })
      expectAnswer(created, { answers: 201 })
      const { id, stateSince } = created.body
      expect(created.body).toEqual({
        ...DEFAULTS,
        id,
        stateSince,
        name: 'plain',
        parentId: device,
        deviceId: device,
        deviceName: 'a device of a test',
      })
      expect(Math.abs(Date.parse(String(stateSince)) - Date.now())).toBeLessThan(60_000)
      const read = await client.request('GET', `${created.headers.get('location')}?${ALL}`)
      expect(read.body).toEqual(created.body)
      expect(read.headers.get('etag')).toBe(created.headers.get('etag'))
    },
  },
  {
    title: 'every field is stored as it was sent, by POST and by PUT',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device, collector, job } = await stage(client)
      const json = { ...FULL, collectorId: collector }
      const expected = (id: unknown, properties: unknown) => ({
        ...json,
        id,
        properties,
        type: 'job',
        permissions: { read: true, write: true, execute: true, maintain: true },
        parentId: device,
        templateId: null,
        deviceId: device,
        deviceName: 'a device of a test',
        stateSince: anyText,
        errorCode: 0,
        evaluatedState: 'minor',
        message: null,
        lastReceivedAt: null,
        nextTimeoutAt: anyText,
        isFlapping: false,
        predictions: [
          { severity: 'major', condition: 0, unknown: 'too_few', value: null, at: null, crossesAt: null },
        ],
        bands: [expect.objectContaining({ severity: 'minor', condition: 0, unknown: 'too_few' })],
        limits: { unknown: 'too_few' },
        values: {},
      })
      const lines = [
        ['POST', `/jobs?parentId=${device}`],
        ['PUT', `/jobs/${job}`],
      ] as const
      for (const [method, path] of lines) {
        const answered = await good<Job>(client.request(method, path, { json }))
        const kept = (answered['properties'] as { key: string; value: string }[]).map(
          ({ key, value: text }) => ({ key, value: text }),
        )
        expect(kept).toEqual(FULL.properties)
        expect<unknown>(answered).toEqual(expected(answered.id, answered['properties']))
        expect(unbanded(await readJob(client, answered.id))).toEqual(unbanded(answered))
      }
    },
  },
  {
    title: 'thresholds and values are returned on request, and null otherwise',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { job } = await stage(client)
      for (const [query, thresholds, current] of [
        ['', false, false],
        ['?thresholds=true', true, false],
        ['?values=true', false, true],
        [`?${ALL}`, true, true],
        ['?thresholds=false&values=false', false, false],
      ] as const) {
        const read = await good(client.request('GET', `/jobs/${job}${query}`))
        expect({ thresholds: read['thresholds'] !== null, values: read['values'] !== null }).toEqual({
          thresholds,
          values: current,
        })
      }
    },
  },
  {
    title: 'permissions are those of the caller',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device, collector } = await stage(client)
      const open = await makeJob(client, device)
      const own = await makeJob(client, device, { collectorId: collector })
      const second = await good<{ id: number }>(
        client.request('POST', '/users', {
          json: { username: 'collector of others', password: 'its password', role: 'collector' },
        }),
      )
      const foreign = await makeJob(client, device, { collectorId: second.id })
      for (const [as, id, write, execute] of [
        ['administrator', foreign, true, true],
        ['editor', foreign, true, true],
        ['collector', open, false, true],
        ['collector', own, false, true],
        ['collector', foreign, false, false],
        ['Data_Editor', open, false, false],
        ['dashboard_viewer', open, false, false],
      ] as const) {
        const { permissions } = await good<Job>(client.request('GET', `/jobs/${id}`, { as }))
        expect({ as, permissions }).toEqual({
          as,
          permissions: { read: true, write, execute, maintain: write },
        })
      }
    },
  },
]

const changes: Scenario[] = [
  {
    title: 'a PUT with stopped stops and starts the job, which accepts deliveries accordingly',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device } = await stage(client)
      const json = {
        parameters: { timeout: 'PT10M', returnValue: [value()] },
        thresholds: { minor: { conditions: [condition()] } },
      }
      const id = await makeJob(client, device, json)
      const deliver = () =>
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 2 },
          as: 'collector',
        })
      await good(deliver())

      const stopped = await good<Job>(
        client.request('PUT', `/jobs/${id}`, { json: { ...(await plainJob(client, id)), stopped: true } }),
      )
      expect(stopped).toMatchObject({
        stopped: true,
        currentState: 'undefined',
        nextTimeoutAt: null,
        stateForced: false,
      })
      expectAnswer(await deliver(), { answers: 'job_stopped' })

      const before = Date.now()
      const started = await good<Job>(
        client.request('PUT', `/jobs/${id}`, {
          json: { ...(await plainJob(client, id)), stopped: false },
          as: 'editor',
        }),
      )
      expect(started).toMatchObject({
        stopped: false,
        currentState: 'minor',
        values: { returnValue1: { value: 2 } },
      })
      expect(Date.parse(String(started['nextTimeoutAt']))).toBeGreaterThanOrEqual(before + 600_000)
      await good(deliver())
    },
  },
  {
    title: 'a job can be created stopped, and an absent stopped keeps it so',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { stopped: true, parameters: { timeout: 'PT1M' } })
      const stopped = { stopped: true, currentState: 'undefined', nextTimeoutAt: null }
      expect(await readJob(client, id)).toMatchObject(stopped)
      expect(
        await good<Job>(client.request('PUT', `/jobs/${id}`, { json: { name: 'still stopped' } })),
      ).toMatchObject(stopped)
    },
  },
  ...['', '?thresholds=true', '?values=true', `?${ALL}`].map((query) => ({
    title: `a PUT of the answer of GET /jobs/{id}${query} changes nothing`,
    decidedAbovePorts: 'fields of jobs',
    async run(client: Client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, {
        ...FULL,
        stateForced: false,
        currentState: undefined,
        collectorId: client.userIds.collector,
      })
      await good(
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue: [700, 1], stringValue1: 'v1', errorCode: 7, message: 'slow' },
          as: 'collector',
        }),
      )
      const before = unbanded(await readJob(client, id))
      const sent = await good<Job>(client.request('GET', `/jobs/${id}${query}`))
      expect(unbanded(await good<Job>(client.request('PUT', `/jobs/${id}`, { json: sent })))).toEqual(before)
      expect(unbanded(await readJob(client, id))).toEqual(before)
    },
  })),
  {
    title: 'If-Match accepts the current tag once, also in a race, and always the asterisk',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device)
      const put = (name: string, tag: string) =>
        client.request('PUT', `/jobs/${id}`, { json: { name }, headers: { 'if-match': tag } })
      const tag = String((await client.request('GET', `/jobs/${id}`)).headers.get('etag'))
      const first = await put('first', tag)
      expectAnswer(first, { answers: 200 })
      const next = String(first.headers.get('etag'))
      expect(next).not.toBe(tag)
      expectAnswer(await put('second', tag), { answers: 'precondition_failed' })
      expect((await readJob(client, id))['name']).toBe('first')
      const race = await Promise.all([put('a', next), put('b', next), put('c', next)])
      expect(statusesOf(race)).toEqual([200, 412, 412])
      expect((await readJob(client, id))['name']).toBe(
        race.find(({ status }) => status === 200)?.body['name'],
      )
      await good(put('star', '*'))
    },
  },
  ...(['deviceId', 'parentId'] as const).map((field) => ({
    title: `another ${field} moves the job with its values, and back`,
    decidedAbovePorts: 'fields of jobs',
    async run(client: Client) {
      const { device } = await stage(client)
      const other = await makeDevice(client, { name: 'another device' })
      const id = await makeJob(client, device, { parameters: { returnValue: [value()] } })
      await good(
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 5 },
          as: 'collector',
        }),
      )
      const before = await readJob(client, id)
      const moved = await good<Job>(
        client.request('PUT', `/jobs/${id}`, { json: { ...before, [field]: other } }),
      )
      expect(moved).toEqual({ ...before, parentId: other, deviceId: other, deviceName: 'another device' })
      expect(
        await good<Job>(client.request('PUT', `/jobs/${id}`, { json: { ...moved, [field]: device } })),
      ).toEqual(before)
    },
  })),
  {
    title: 'a forced state stays through deliveries, and afterwards the job has its evaluated state',
    decidedAbovePorts: 'fields of jobs',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, {
        parameters: { returnValue: [value()] },
        thresholds: { minor: { conditions: [condition()] } },
      })
      const put = (json: object) => good<Job>(client.request('PUT', `/jobs/${id}`, { json }))
      const forced = await put({ ...(await plainJob(client, id)), stateForced: true, currentState: 'major' })
      expect(forced).toMatchObject({ stateForced: true, currentState: 'major' })
      const delivered = await good(
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 9 },
          as: 'collector',
        }),
      )
      expect(delivered['state']).toBe('major')
      expect(await readJob(client, id)).toMatchObject({
        currentState: 'major',
        stateSince: forced['stateSince'],
      })
      expect(await put({ ...(await plainJob(client, id)), stateForced: false })).toMatchObject({
        stateForced: false,
        currentState: 'minor',
      })
    },
  },
  {
    title: 'a deleted job is not found by reads, changes, deliveries and histories',
    async run(client) {
      const { device } = await stage(client)
      const id = await makeJob(client, device, { parameters: { returnValue: [value()] } })
      await good(
        client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 9 },
          as: 'collector',
        }),
      )
      expectAnswer(await client.request('DELETE', `/jobs/${id}`, { as: 'editor' }), { answers: 204 })
      for (const line of [`GET /jobs/${id}`, `DELETE /jobs/${id}`, `GET /jobs/${id}/value-history`]) {
        expectAnswer(await call(client, line), { answers: 'not_found' })
      }
      expectAnswer(await client.request('PUT', `/jobs/${id}`, { json: { name: 'x' } }), {
        answers: 'not_found',
      })
      expectAnswer(
        await client.request('POST', `/webcollector/jobs/${id}/values`, {
          json: { returnValue1: 9 },
          as: 'collector',
        }),
        { answers: 'not_found' },
      )
    },
  },
]

export const jobsSuite: Suite = {
  name: 'jobs',
  scenarios: [...table(stage, refusals), ...table(stage, faults), ...fitting, ...fields, ...changes],
}

/** The job with everything that may be asked for. */
function readJob(client: Client, id: number | string): Promise<Job> {
  return good<Job>(client.request('GET', `/jobs/${id}?${ALL}`))
}

function plainJob(client: Client, id: number): Promise<Job> {
  return good<Job>(client.request('GET', `/jobs/${id}`))
}
