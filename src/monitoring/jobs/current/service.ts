import type { Context } from '../../../context.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Parameters } from '../../job-config/schema.ts'
import { currentValues, findParameters } from '../service.ts'
import type { CurrentQuery, CurrentView } from './schema.ts'

/** The latest values of many jobs, numbers first; values that were never delivered are missing. */
export async function readCurrent(context: Context, { jobId }: CurrentQuery): Promise<CurrentView> {
  const { jobActors, settings } = context.ports
  const ids = [...new Set([jobId].flat())]
  const parameters = await findParameters(context, ids)
  const format = timeFormat(settings.timeZone)
  const items = await Promise.all(
    ids.map(async (id) => {
      const known = parameters.get(id)
      if (!known) return []
      const snapshot = await jobActors.snapshot(id)
      const current = snapshot ? currentValues(known, snapshot, format) : {}
      const values = namesOf(known).flatMap((named) => {
        const value = current[named.key]
        return value ? [{ ...named, ...value }] : []
      })
      return [{ jobId: id, values }]
    }),
  )
  return { items: items.flat() }
}

function namesOf({ returnValue, stringValue }: Parameters) {
  return [
    ...returnValue.map(({ valueName: name, valueUnit: unit, valuePrecision }, index) => ({
      key: `returnValue${index + 1}`,
      name,
      unit,
      precision: valuePrecision ?? null,
    })),
    ...stringValue.map(({ valueName: name, valueUnit: unit }, index) => ({
      key: `stringValue${index + 1}`,
      name,
      unit,
      precision: null,
    })),
  ]
}
