import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { objectLink } from '../../kit/location.ts'
import { Confirm, Dialog } from '../../kit/overlays.tsx'
import { fullTimeText } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.tsx'
import { t } from '../../language/t.ts'
import type { Entry } from './occurrences.ts'

type Props = { readonly entry: Entry; readonly onClose: () => void }

/** One entry of the calendar: when, where, how often, and how to end it. */
export function EntryDialog({ entry, onClose }: Props): JSX.Element {
  const [isEnding, setEnding] = useState(false)
  const { object, name, type, begin, end, active, status, comment, slaRelevant, editOnly, nextBegin } = entry
  const remove = async (): Promise<void> => {
    await call('delete', `/${object.type}s/{id}/revaluations/{revaluationId}`, {
      path: { id: object.id, revaluationId: entry.id },
    })
    invalidate('/group/1/revaluation-calendar', `/${object.type}s/${object.id}`)
    toast({ text: t('maintenance.removed') })
    onClose()
  }
  if (isEnding)
    return (
      <Confirm
        title={t(status === 'running' ? 'maintenance.endNow' : 'maintenance.delete')}
        effect={t(status === 'running' ? 'maintenance.endEffect' : 'maintenance.deleteEffect', {
          name: object.name,
        })}
        submit={t(status === 'running' ? 'maintenance.endNow' : 'maintenance.delete')}
        onConfirm={remove}
        onClose={() => setEnding(false)}
      />
    )
  return (
    <Dialog
      title={name || t(`maintenance.type.${type}`)}
      onClose={onClose}
      footer={
        <>
          <a class="btn" href={objectLink(object.type, object.id)}>
            {t('maintenance.openObject')}
          </a>
          <span class="grow" />
          {status !== 'ended' && (
            <Button kind="danger" onClick={() => setEnding(true)}>
              {t(status === 'running' ? 'maintenance.endNow' : 'maintenance.delete')}
            </Button>
          )}
        </>
      }
    >
      <KeyValues
        rows={[
          [t('maintenance.object'), object.path.split('/').slice(1).join(' / ')],
          [t('maintenance.kind'), t(`maintenance.type.${type}`)],
          [t('maintenance.begin'), <TwoZones key="begin" at={begin} />],
          [t('maintenance.end'), <TwoZones key="end" at={end} />],
          ...(active.length > 0
            ? [
                [
                  t('maintenance.recurs'),
                  active.map((one) => t(`maintenance.recur.${one.type}`)).join(', '),
                ] as const,
              ]
            : []),
          ...(nextBegin === null
            ? []
            : [[t('maintenance.nextTime'), <TwoZones key="next" at={nextBegin} />] as const]),
          ...(slaRelevant ? [[t('maintenance.sla'), t('maintenance.slaText')] as const] : []),
          ...(editOnly ? [[t('maintenance.editOnly'), t('maintenance.editOnlyText')] as const] : []),
          ...(comment ? [[t('maintenance.comment'), comment] as const] : []),
        ]}
      />
    </Dialog>
  )
}

/** A time in the zone of the page and in UTC. */
export function TwoZones({ at }: { readonly at: string | number }): JSX.Element {
  return (
    <>
      {fullTimeText(at)}
      <br />
      <span class="label">{fullTimeText(at, 'UTC')}</span>
    </>
  )
}
