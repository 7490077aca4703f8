import type { Figure } from '../../../operations/telemetry/figures.ts'
import type { Ports } from '../../../ports/index.ts'
import { countUnclosed } from '../store.ts'

/** The alarms that are open or assigned, for `GET /metrics`. */
export async function alarmFigures({ database }: Ports): Promise<Figure> {
  const counts = await countUnclosed(database)
  return {
    name: 'tidemark_alarms',
    help: 'Alarms that are not closed, by status.',
    type: 'gauge',
    samples: (['open', 'assigned'] as const).map((status) => ({
      labels: { status },
      value: counts.get(status) ?? 0,
    })),
  }
}
