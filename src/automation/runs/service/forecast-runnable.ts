import { FORECASTS_ID } from '../../scripts/forecasts-id.ts'
import type { Runnable } from '../../scripts/service/runnable.ts'
import type { ForecastOrder } from '../forecast-run.ts'

/** A forecast in the form of a script without files. */
export function runnableForecast(
  forecastId: number,
  { name, timeoutS, retries, runnerLabels }: ForecastOrder,
): Runnable {
  const changer = { changedBy: null, changedRole: null }
  return {
    script: { id: FORECASTS_ID, name, timeoutS, acceptedFiles: [], ...changer },
    configuration: {
      id: forecastId,
      name,
      timeoutS,
      retries,
      runnerLabels: [...runnerLabels],
      kind: 'standard',
      arguments: [],
      concurrency: 'skip',
      reportTo: null,
      network: [],
      database: null,
      filesystem: null,
      env: {},
      secretNames: [],
      ...changer,
    },
    detection: {
      runner: null,
      runnerFile: null,
      dependencyManager: 'none',
      dependencyFile: null,
      warnings: [],
    },
    files: [],
    directories: [],
  }
}
