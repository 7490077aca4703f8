import { attempt } from '../../../access/attempts/service.ts'
import { ROOT_ID } from '../../../access/rights/permissions.ts'
import type { Caller, Context } from '../../../context.ts'
import { refusalIn } from '../../../lib/errors.ts'
import type { Ports } from '../../../ports/index.ts'
import { createDevice } from '../../tree/devices/service.ts'
import { deviceBody } from '../../tree/schema.ts'
import { requireObject } from '../../tree/service.ts'
import { jobBody } from '../schema.ts'
import { createJob } from '../service.ts'

/** The caller of actions without a user. */
const SERVICE: Caller = { kind: 'user', userId: 0, username: '', role: 'administrator', sessionHash: null }

/** The names of the objects of a first start. */
export const FIRST_NAMES = { device: 'My first device', job: 'My first webhook job' } as const

/** Allows one of several processes or isolates that start at once to create the objects. */
const ONCE = { key: 'first objects', max: 1, isShared: false }

/** Creates a device with one webhook job in an empty tree, so that the first value can be delivered at once.
 * @returns the job's id; null if the tree is not empty, or if another process creates them */
export async function createFirstJob(ports: Ports): Promise<number | null> {
  const context: Context = { ports, caller: SERVICE, requestId: 'first start' }
  const root = await requireObject(context, ROOT_ID, { right: 'read' })
  if (root.hasChildren) return null
  try {
    await attempt(ports, [ONCE])
  } catch (error) {
    if (refusalIn(error)?.code === 'too_many_attempts') return null
    throw error
  }
  const { device } = await createDevice(context, ROOT_ID, deviceBody.parse({ name: FIRST_NAMES.device }))
  const body = jobBody.parse({
    name: FIRST_NAMES.job,
    parameters: {
      timeout: 'PT5M',
      healsOnData: true,
      returnValue: [{ valueName: 'Temperature', valueUnit: '°C', valuePrecision: 1 }],
    },
  })
  const { job } = await createJob(context, device.id, body)
  return job.id
}
