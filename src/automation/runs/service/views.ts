import type { Ports } from '../../../ports/index.ts'
import { hasTakers } from '../runners/service/present.ts'
import type { JobView } from '../schema.ts'
import type { ListedRun } from '../store/lists.ts'
import { viewOf } from '../view.ts'

type ViewPorts = Pick<Ports, 'database' | 'clock' | 'settings'>

const NO_RUNNER = 'no runner takes jobs'

/** Runs as callers see them. */
export async function viewsOf(ports: ViewPorts, runs: readonly ListedRun[]): Promise<JobView[]> {
  const isAnyQueued = runs.some(({ state }) => state === 'queued')
  const waitingFor = isAnyQueued && !(await hasTakers(ports)) ? NO_RUNNER : null
  return runs.map((run) => viewOf(ports.settings, run, waitingFor))
}

/** A run as callers see it. */
export async function viewOfOne(ports: ViewPorts, run: ListedRun): Promise<JobView> {
  const [view] = await viewsOf(ports, [run])
  if (!view) throw new TypeError('No view was made for an existing run.')
  return view
}
