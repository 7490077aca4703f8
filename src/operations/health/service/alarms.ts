import { hasAddressedLink } from '../../../monitoring/alarms/service.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Warning } from '../schema.ts'

/** Alarms are listed, and no recipient is notified of any. */
export async function alarmsGoToNobody({ database }: Ports): Promise<Warning | null> {
  if (await hasAddressedLink(database)) return null
  const detail =
    'No alarm link names a recipient, so alarms go to nobody. Add a recipient (POST /alarmrecipients) and name it in the links of a group (PUT /group/1/alarmLinks).'
  return { code: 'alarms_go_to_nobody', detail }
}
