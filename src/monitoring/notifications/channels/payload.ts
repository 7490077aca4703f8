import { cutText } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import { PARAMETERS_MAX } from '../../../ports/scripts.ts'
import { messageOf, textOf } from '../texts/message.ts'
import type { Manner, MessageItem } from '../texts/message.ts'
import type { Notification } from './notification.ts'

/** The body of a webhook (Standard Webhooks, *Payload structure*). */
export function payloadOf({ items, manner, createdAt }: Notification) {
  const format = timeFormat(manner.timeZone)
  const { subject, lines } = textOf(items, manner)
  return {
    type: typeOf(items),
    timestamp: format(createdAt),
    data: {
      recipient: manner.recipient,
      subject,
      text: lines.join('\n'),
      alarms: items.map((one) => dataOf(one, manner)),
    },
  }
}

/** The same as parameters of a script, at most 65,536 bytes of JSON: the first alarms and as much text as fit;
 * `leftOut` is the number of omitted alarms. */
export function parametersOf(notification: Notification) {
  const { data, ...heading } = payloadOf(notification)
  const { alarms, ...words } = data
  const withAlarms = (count: number, text: string) => ({
    ...heading,
    data: { ...words, text, alarms: alarms.slice(0, count), leftOut: alarms.length - count },
  })
  let { text } = words
  while (bytesOf(withAlarms(0, text)) > PARAMETERS_MAX) text = cutText(text, Math.ceil(text.length / 2))
  let bytes = bytesOf(withAlarms(0, text))
  let count = 0
  for (const alarm of alarms) {
    // Includes the comma.
    bytes += bytesOf(alarm) + 1
    if (bytes > PARAMETERS_MAX) break
    count++
  }
  return withAlarms(count, text)
}

function bytesOf(value: object): number {
  return new TextEncoder().encode(JSON.stringify(value)).length
}

/** `alarm.opened` and the like; `alarms` for several kinds. */
function typeOf(items: readonly MessageItem[]): string {
  const kinds = new Set(items.map(({ kind }) => kind))
  const [only] = kinds
  return kinds.size === 1 && only ? `alarm.${only}` : 'alarms'
}

function dataOf(item: MessageItem, manner: Manner) {
  const format = timeFormat(manner.timeZone)
  const { kind, alarmId, objectId, objectType, objectName, objectPath, state, worstState } = item
  const endAt = item.endAt
  return {
    event: kind,
    alarmId,
    object: { id: objectId, type: objectType, name: objectName, path: objectPath },
    state,
    worstState,
    message: messageOf(item, manner),
    begin: format(item.beginAt),
    end: endAt === null ? null : format(endAt),
    durationMs: endAt === null ? null : endAt - item.beginAt,
  }
}
