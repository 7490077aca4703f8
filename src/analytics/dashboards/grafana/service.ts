import { hasRole } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { READERS } from '../../../data/sources/schema.ts'
import { Refusal, invalidAt } from '../../../lib/errors.ts'
import { findNames } from '../portable/store.ts'
import { classicDashboard, convertGrafana } from './convert.ts'
import type { Converted } from './convert.ts'
import type { GrafanaBody } from './schema.ts'

/** Converts a dashboard of Grafana to an export, and stores nothing.
 * @throws {Refusal} invalid for other files and for an unknown data source; forbidden to choose one */
export async function convertFile(
  context: Context,
  { dashboard: file, dataSource }: GrafanaBody,
): Promise<Converted> {
  const dashboard = classicDashboard(file)
  if (!dashboard)
    throw invalidAt(
      '/dashboard',
      'must be a dashboard of Grafana with the classic schema: it has panels or rows',
    )
  const source = dataSource === null ? null : await sourceOf(context, dataSource)
  return convertGrafana(dashboard, { dataSource: source })
}

async function sourceOf({ ports, caller }: Context, name: string): Promise<string> {
  if (!hasRole(caller, READERS)) throw new Refusal('forbidden', 'Your role may not make data queries.')
  const [found] = await findNames(ports.database, 'dataSource', [name])
  if (!found) throw invalidAt('/dataSource', 'must be the name of a data source')
  return found.name
}
