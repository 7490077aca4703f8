import { basename } from 'node:path'

import { definition } from '../../src/analytics/dashboards/definition.ts'
import { classicDashboard, convertGrafana } from '../../src/analytics/dashboards/grafana/convert.ts'
import type { Json } from '../../src/analytics/dashboards/grafana/fields.ts'
import { tableOf } from './measure.ts'

/** Converts files of Grafana, and counts the outcomes: `bun test/bench/grafana.ts FILE…`. */
async function outcomeOf(path: string): Promise<Record<string, string | number>> {
  const dashboard = classicDashboard((await Bun.file(path).json()) as Json)
  const name = basename(path)
  if (!dashboard) throw new Error(`${name} has another schema.`)
  const { document, panels, variables, leftOut } = await convertGrafana(dashboard, { dataSource: null })
  for (const board of document.dashboards) definition.parse(board.definition)
  const mapped = panels.filter(({ outcome }) => outcome === 'mapped').length
  return {
    file: name,
    schema: String(dashboard['schemaVersion']),
    panels: panels.length,
    mapped,
    placeholders: panels.length - mapped,
    parameters: variables.filter(({ parameter }) => parameter !== null).length,
    'variables left out': variables.filter(({ parameter }) => parameter === null).length,
    'other parts left out': leftOut.length,
  }
}

console.log(tableOf(await Promise.all(process.argv.slice(2).map(outcomeOf))))
