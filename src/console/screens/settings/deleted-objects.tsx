import type { JSX } from 'preact'

import { useGet } from '../../api/resource.ts'
import { Check, TextField } from '../../kit/controls.tsx'
import { Note, Show } from '../../kit/feedback.tsx'
import { Icon } from '../../kit/icons.tsx'
import { objectLink } from '../../kit/location.ts'
import { timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { deletedIn } from './restored.ts'
import type { Restored } from './restored.ts'

/** The entries of the audit log that are read: the greatest `limit` of `GET /audit`. */
const ENTRIES_MAX = 1_000
const SHOWN_MAX = 30

export type Choice = {
  readonly ids: readonly number[]
  /** Ids that the user types. */
  readonly others: string
  readonly withoutHistories: boolean
}
export const NO_CHOICE: Choice = { ids: [], others: '', withoutHistories: false }

/** The choice of deleted objects to restore. The audit log has the objects that were deleted since the backup. */
export function DeletedObjects({
  since,
  choice,
  onChange,
}: {
  /** The time of the backup; null when it is not known. */
  readonly since: string | null
  readonly choice: Choice
  readonly onChange: (part: Partial<Choice>) => void
}): JSX.Element {
  const audit = useGet('/audit', {
    query: { action: 'delete', limit: ENTRIES_MAX, ...(since === null ? {} : { begin: since }) },
  })
  const { ids } = choice
  return (
    <>
      <fieldset>
        <legend>{t('settings.restore.deleted')}</legend>
        <Show resource={audit}>
          {({ items }) => {
            const deleted = deletedIn(items, since)
            const isCut = deleted.length > SHOWN_MAX || items.length === ENTRIES_MAX
            if (deleted.length === 0 && !isCut)
              return <p class="quiet">{t('settings.restore.noneDeleted')}</p>
            return (
              <>
                <ul>
                  {deleted.slice(0, SHOWN_MAX).map(({ id, type, name, at, username }) => (
                    <li key={id}>
                      <Check
                        label={t('settings.restore.deletedName', {
                          type: t(`settings.restore.type.${type}`),
                          name,
                          time: timeText(at),
                          user: username,
                        })}
                        checked={ids.includes(id)}
                        onChange={(on) =>
                          onChange({ ids: on ? [...ids, id] : ids.filter((one) => one !== id) })
                        }
                      />
                    </li>
                  ))}
                </ul>
                {isCut && <p class="quiet">{t('settings.restore.moreDeleted')}</p>}
              </>
            )
          }}
        </Show>
      </fieldset>
      <TextField
        label={t('settings.restore.otherIds')}
        hint={t('settings.restore.otherIdsHint')}
        value={choice.others}
        onValue={(others) => onChange({ others })}
      />
      <Check
        label={t('settings.restore.withoutHistories')}
        checked={choice.withoutHistories}
        onChange={(withoutHistories) => onChange({ withoutHistories })}
      />
    </>
  )
}

/** The objects that come back or are back, and the references that stay away.
 * @param isDone whether the objects exist again */
export function ObjectList({
  restored: { objects, dropped, histories },
  isDone,
}: {
  readonly restored: Restored
  readonly isDone: boolean
}): JSX.Element {
  return (
    <>
      <p>{t(`settings.restore.${textKey(isDone, histories)}`, { count: objects.length })}</p>
      <ul class="rows">
        {objects.slice(0, SHOWN_MAX).map(({ id, type, name }) => (
          <li key={id} class="row">
            <Icon name={type === 'slc' ? 'slo' : (type as 'group')} />
            {isDone ? <a href={objectLink(type, id)}>{name}</a> : name}
          </li>
        ))}
      </ul>
      {objects.length > SHOWN_MAX && (
        <p class="label">{t('settings.restore.moreObjects', { count: objects.length - SHOWN_MAX })}</p>
      )}
      {dropped.length > 0 && (
        <Note kind="warning">
          <b>{t('settings.restore.dropped', { count: dropped.length })}</b>
          <ul>
            {dropped.slice(0, SHOWN_MAX).map(({ table, objectId, detail }) => (
              <li key={`${table} ${objectId} ${detail}`}>{detail}</li>
            ))}
          </ul>
        </Note>
      )}
    </>
  )
}

function textKey(isDone: boolean, hasHistories: boolean): string {
  if (isDone) return 'objectsDone'
  return hasHistories ? 'objects' : 'objectsBare'
}
