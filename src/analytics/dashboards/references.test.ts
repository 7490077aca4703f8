import { describe, expect, test } from 'bun:test'

import { definition } from './definition.ts'
import { missingIn, referencesOf } from './references.ts'
import { KINDS } from './widgets.ts'

/** A widget of each kind, with all that it refers to. */
const WIDGETS: Readonly<Record<string, readonly [widget: object, ...found: string[]]>> = {
  value: [{ source: { type: 'job', jobId: 1 } }, 'object 1 source/jobId'],
  history: [
    { series: [{ jobId: 1 }, { jobId: 2 }], forecast: { forecastId: 11 } },
    'object 1 series/0/jobId',
    'object 2 series/1/jobId',
    'forecast 11 forecast/forecastId',
  ],
  chart: [
    { dataQueryId: 3, type: 'bar', x: 'a', y: ['b'], forecast: { forecastId: 11 } },
    'dataQuery 3 dataQueryId',
    'forecast 11 forecast/forecastId',
  ],
  table: [{ dataQueryId: 3 }, 'dataQuery 3 dataQueryId'],
  states: [{ objects: { ids: [4], groupId: 5 } }, 'object 4 objects/ids/0', 'object 5 objects/groupId'],
  alarms: [{}],
  slo: [{ objectId: 6 }, 'object 6 objectId'],
  map: [
    { points: { type: 'dataQuery', dataQueryId: 3, lat: 'a', lon: 'b' } },
    'dataQuery 3 points/dataQueryId',
  ],
  text: [{ markdown: '![a](/files/plan%20b.png) ![b](https://x/files/c.png)' }, 'file plan b.png markdown/0'],
  image: [
    { file: 'hall.svg', alt: 'Hall', hotspots: [{ x: 0, y: 0, objectId: 7 }] },
    'object 7 hotspots/0/objectId',
    'file hall.svg file',
  ],
  input: [{ parameter: 'region', control: 'select' }],
  script: [{ scriptId: 8 }, 'script 8 scriptId'],
  dashboard: [{ dashboardId: 9 }, 'dashboard 9 dashboardId'],
  clock: [{}],
  line: [{}],
}

const withWidget = (widget: object) =>
  definition.parse({ parameters: [{ name: 'region', type: 'string' }], widgets: { w1: widget } })

describe('the references of a widget', () => {
  test('are known for all kinds', () => expect(Object.keys(WIDGETS).sort()).toEqual([...KINDS].sort()))

  for (const [kind, [fields, ...expected]] of Object.entries(WIDGETS))
    test(`of the kind ${kind} are ${expected.join(', ') || 'absent'}, and its link`, () => {
      const link = { dashboardId: 10, params: {} }
      const found = referencesOf(withWidget({ kind, ...fields, link })).map(
        ({ kind: of, targetId, targetName, pointer }) =>
          `${of} ${targetName || targetId} ${pointer.replace('/widgets/w1/', '')}`,
      )
      expect(found.sort()).toEqual([...expected, 'dashboard 10 link/dashboardId'].sort())
    })
})

test('parameters and the style refer to data queries and files', () => {
  const given = definition.parse({
    parameters: [{ name: 'a', type: 'query', valuesQueryId: 3 }],
    style: { file: 'back.png' },
  })
  expect(
    referencesOf(given).map(({ kind, targetId, targetName, pointer }) => [
      kind,
      targetId || targetName,
      pointer,
    ]),
  ).toEqual([
    ['dataQuery', 3, '/parameters/0/valuesQueryId'],
    ['file', 'back.png', '/style/file'],
  ])
})

test('a value of a forecast refers to it', () => {
  const source = { type: 'forecast', forecastId: 11 }
  expect(referencesOf(withWidget({ kind: 'value', source }))).toMatchObject([
    { kind: 'forecast', targetId: 11, pointer: '/widgets/w1/source/forecastId' },
  ])
})

test('references without a target have their places', () => {
  expect(missingIn(withWidget({ kind: 'script', scriptId: null }))).toEqual(['/widgets/w1/scriptId'])
  expect(missingIn(withWidget({ kind: 'table', objects: { ids: [1] } }))).toEqual([])
})
