import type { Ports } from '../../../ports/index.ts'
import type { EndedForecast } from '../store/reports.ts'

/** Work that begins by itself, and work that follows from the end of a forecast. */
export type DueWork = {
  /** Publishes the results of a forecast that has ended, or notes its failure. It is called until it resolves, and may be
   * called again for the same run. */
  settleForecast?(ports: Ports, run: EndedForecast): Promise<void>
  /** Begins the due work. @returns when work is due next, epoch ms; Infinity without any */
  runDue(ports: Ports): Promise<number>
}
