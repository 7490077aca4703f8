import { beforeAll, expect, test } from 'bun:test'

import { forecastBody } from '../../src/analytics/forecasts/definition.ts'
import { createForecast } from '../../src/analytics/forecasts/service.ts'
import type { Context } from '../../src/context.ts'
import { groupBody } from '../../src/data/queries/groups/schema.ts'
import { createGroup } from '../../src/data/queries/groups/service.ts'
import { queryBody } from '../../src/data/queries/schema.ts'
import { createQuery } from '../../src/data/queries/service.ts'
import { dataSourceBody } from '../../src/data/sources/schema.ts'
import { createDataSource } from '../../src/data/sources/service.ts'
import { insertAdministrator } from '../automation/people.ts'
import { onEachDatabase } from '../hosts/each-database.ts'

type Creation = readonly [table: string, make: (as: Context) => Promise<unknown>, shown: object]

const FORECAST = {
  name: 'ours',
  source: { type: 'dataTable', dataSourceId: 1, table: 'levels', timeColumn: 'ds', valueColumn: 'y' },
  step: 'PT1H',
  horizon: 'PT1H',
  model: { kind: 'prophet' },
}

const CREATIONS: readonly Creation[] = [
  [
    'data_sources',
    (as) => createDataSource(as, dataSourceBody.parse({ name: 'ours', type: 'csv' })),
    { version: 1, view: { name: 'ours' } },
  ],
  [
    'data_query_groups',
    (as) => createGroup(as, groupBody.parse({ name: 'ours' })),
    { version: 1, view: { name: 'ours' } },
  ],
  [
    'data_queries',
    (as) => createQuery(as, queryBody.parse({ name: 'ours', dataSourceId: 1, text: 'select 1' })),
    { version: 1, view: { name: 'ours' } },
  ],
  [
    'forecasts',
    (as) => createForecast(as, forecastBody.parse(FORECAST)),
    { version: 1, view: { name: 'ours', owner: { id: 1, name: 'admin' } } },
  ],
]

onEachDatabase((callers) => {
  beforeAll(() => insertAdministrator(callers().context.ports))

  for (const [table, make, shown] of CREATIONS) {
    test(`the answer to a new row of ${table} is what its commit wrote, although it is deleted at once`, async () => {
      const { context, before } = callers()
      const made = await make(before(async () => context.ports.database.run(`delete from ${table}`)))
      expect(made).toMatchObject(shown)
    })
  }
})
