import { faultOfReceiver } from '../../../../lib/addresses.ts'
import type { Fault } from '../../../../lib/errors.ts'
import type { Ports } from '../../../../ports/index.ts'
import type { Rules } from '../schema.ts'
import { unknownPlaces } from '../store.ts'
import { urlOfTarget } from '../target.ts'
import type { Target } from '../target.ts'

/** The faults of a recipient that has passed its schema: unreachable targets, unknown ids, and settings that need a
 * group. */
export async function faultsOf(ports: Ports, rules: Rules, target: Target): Promise<readonly Fault[]> {
  return [
    ...receiverFaults(ports, target),
    ...rotationFaults(rules, target),
    ...(target.type === 'script' ? await scriptFaults(ports, target) : []),
    ...(await missingFaults(ports, rules, target)),
  ]
}

function receiverFaults({ settings }: Ports, target: Target): readonly Fault[] {
  const reached = urlOfTarget(target)
  const said = reached && faultOfReceiver(reached.url, settings.outboundAllow)
  return reached && said !== null ? [fault(`/target/${reached.field}`, said)] : []
}

function rotationFaults({ rotation, vacations }: Rules, { type }: Target): readonly Fault[] {
  if (type === 'group') return []
  const member = vacations.findIndex(({ userId }) => userId !== null)
  return [
    ...(rotation === null ? [] : [fault('/rotation', 'is allowed for groups only')]),
    ...(member === -1 ? [] : [fault(`/vacations/${member}/userId`, 'is allowed for groups only')]),
  ]
}

async function scriptFaults(
  { scripts }: Ports,
  reference: Extract<Target, { type: 'script' }>,
): Promise<readonly Fault[]> {
  const faults = await scripts.faultsOf(reference)
  return faults.map(({ pointer, message }) => fault(`/target${pointer}`, message))
}

/** The faults of unknown ids. */
async function missingFaults({ database }: Ports, rules: Rules, target: Target): Promise<readonly Fault[]> {
  const missing = async (
    table: Parameters<typeof unknownPlaces>[1],
    ids: readonly number[],
    pointer: (place: number) => string,
  ) =>
    (await unknownPlaces(database, table, ids)).map((place) =>
      fault(pointer(place), 'must be an existing id'),
    )
  const steps = rules.escalation.map(({ recipientId }) => recipientId)
  const found = await Promise.all([
    target.type === 'user' ? missing('users', [target.userId], () => '/target/userId') : [],
    target.type === 'group' ? missing('user_groups', [target.userGroupId], () => '/target/userGroupId') : [],
    missing('objects', rules.objectIds, (place) => `/objectIds/${place}`),
    missing('alarm_recipients', steps, (place) => `/escalation/${place}/recipientId`),
  ])
  return found.flat()
}

export function fault(pointer: string, message: string): Fault {
  return { pointer, message }
}
