import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { useUrl } from '../../api/resource.ts'
import { Button } from '../../kit/controls.tsx'
import { KeyValues } from '../../kit/data.tsx'
import { Note } from '../../kit/feedback.tsx'
import { objectLink } from '../../kit/location.ts'
import { Confirm, Dialog, FormDialog } from '../../kit/overlays.tsx'
import { dayText, now } from '../../kit/time.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import { bodyOf, isLive, isOver, isSeries, scheduleOf, skipped, withEqualBegin } from './changes.ts'
import { ScopeChoices } from './choices.tsx'
import { NextTimes } from './next-times.tsx'
import { phaseOf, placeText } from './occurrences.ts'
import type { Entry, Occurrence } from './occurrences.ts'
import { change, create, endOccurrence, remove } from './save.ts'
import type { Undo } from './save.ts'
import { clockOf, ruleText, spanText, titleOf } from './texts.ts'

const LONGER_MS = 1_800_000

type Props = {
  readonly occurrence: Occurrence
  readonly zone: string
  readonly onEdit: () => void
  readonly onClose: () => void
}

/** An entry of the calendar: its place, its times and its effect, with the buttons that change and end it. */
export function Details({ occurrence, zone, onEdit, onClose }: Props): JSX.Element {
  const [isEnding, setEnding] = useState(false)
  const { entry } = occurrence
  const refused = useRefusal(entry)
  const isRunning = isLive(entry) && phaseOf(occurrence, now.value) === 'running' && !isOver(entry)
  /** Closes the dialog while a change is made, and then shows a message that can undo the change. */
  const run = async (work: Promise<Undo>, text: string): Promise<void> => {
    onClose()
    toast({ text, undo: await work })
  }
  if (isEnding)
    return (
      <Ending
        occurrence={occurrence}
        isRunning={isRunning}
        onClose={onClose}
        onBack={() => setEnding(false)}
      />
    )
  return (
    <Dialog
      title={titleOf(entry)}
      onClose={onClose}
      footer={
        <>
          <a class="btn ghost" href={objectLink(entry.object.type, entry.object.id)}>
            {t('maintenance.openObject')}
          </a>
          <span class="grow" />
          {!isOver(entry) && (
            <Button kind="danger" refused={refused} onClick={() => setEnding(true)}>
              {t(isRunning ? 'maintenance.endNow' : 'maintenance.delete')}
            </Button>
          )}
          {isRunning && (
            <Button
              refused={refused}
              action={() => run(prolong(occurrence), t('maintenance.prolonged', { name: titleOf(entry) }))}
            >
              {t('maintenance.longer')}
            </Button>
          )}
          {isSeries(entry) && occurrence.begin > now.value && (
            <Button
              refused={refused}
              action={() =>
                run(
                  change(entry, skipped(bodyOf(entry), occurrence, zone), occurrence.begin),
                  t('maintenance.isSkipped', { name: titleOf(entry), time: spanText(occurrence, zone) }),
                )
              }
            >
              {t('maintenance.skip')}
            </Button>
          )}
          {!isOver(entry) && (
            <Button kind="primary" refused={refused} onClick={onEdit}>
              {t('maintenance.editIt')}
            </Button>
          )}
        </>
      }
    >
      <div class="col spread">
        <KeyValues rows={rowsOf(occurrence, zone)} />
        {entry.editOnly && !isOver(entry) && (
          <EditOnly
            entry={entry}
            zone={zone}
            refused={refused}
            onRepair={() =>
              run(
                change(entry, withEqualBegin(bodyOf(entry))),
                t('maintenance.saved', { name: titleOf(entry) }),
              )
            }
          />
        )}
        {isLive(entry) && !isOver(entry) && <NextTimes schedule={scheduleOf(entry)} zone={zone} />}
      </div>
    </Dialog>
  )
}

function rowsOf(occurrence: Occurrence, zone: string): readonly (readonly [string, string])[] {
  const { entry } = occurrence
  const { type, adjustTo, slaRelevant, incident, comment, active, status, created } = entry
  const always = [
    [t('maintenance.object'), placeText(entry)],
    [t('maintenance.kind'), t(`maintenance.type.${type}`)],
    [
      t('maintenance.when'),
      `${spanText(occurrence, zone)}, ${t(`maintenance.phase.${phaseOf(occurrence, now.value)}`)}`,
    ],
  ] as const
  const rules = active.map((rule) => ruleText(rule, zone)).join('; ')
  const meanwhile = {
    maintenance: t('maintenance.meanwhileMaintenance'),
    adjustment: t('maintenance.meanwhileAdjustment', { state: t(`state.${adjustTo}`) }),
    comment: t('maintenance.meanwhileComment'),
  }
  const others = [
    [t('maintenance.recurs'), rules],
    [t('maintenance.meanwhile'), meanwhile[type]],
    [
      t('maintenance.sla'),
      type === 'maintenance' ? t(slaRelevant ? 'maintenance.slaCounts' : 'maintenance.slaIgnores') : '',
    ],
    [t('maintenance.incident'), incident ?? ''],
    [t('maintenance.comment'), comment ?? ''],
    [t('maintenance.entered'), dayText(created)],
    [t('maintenance.status'), status === 'cancelled' ? t('maintenance.cancelled') : ''],
  ] as const
  return [...always, ...others.filter(([, value]) => value !== '')]
}

/** The reason for which the user may not change an entry; undefined if the user may, and until the object is read. */
function useRefusal({ object }: Entry): string | undefined {
  const { data } = useUrl<{ readonly permissions?: { readonly maintain: boolean } }>(
    `/${object.type}s/${object.id}`,
  )
  return data?.permissions?.maintain === false ? t('alarm.needsMaintain', { name: object.name }) : undefined
}

type EditOnlyProps = {
  readonly entry: Entry
  readonly zone: string
  readonly refused: string | undefined
  readonly onRepair: () => Promise<void>
}

/** The reason for which lists omit an entry, and the button that repairs the entry. */
function EditOnly({ entry, zone, refused, onRepair }: EditOnlyProps): JSX.Element {
  const times = [
    ...new Set(
      entry.active.flatMap(({ exception, times: all }) => (exception ? [] : all.map((one) => one.begin))),
    ),
  ]
  return (
    <Note
      kind="warning"
      action={
        <Button small refused={refused} action={onRepair}>
          {t('maintenance.makeEqual')}
        </Button>
      }
    >
      {t('maintenance.editOnlyText', {
        begin: clockOf(Date.parse(entry.begin), entry.active[0]?.timezone ?? zone),
        times: times.join(', '),
      })}
    </Note>
  )
}

/** Makes the occurrence that runs longer: a single one by its end, one of a series by another maintenance after it. */
function prolong({ entry, end }: Occurrence): Promise<Undo> {
  const later = new Date(end + LONGER_MS).toISOString()
  if (entry.active.length === 0) return change(entry, { ...bodyOf(entry), end: later })
  return create(entry.object, {
    ...bodyOf(entry),
    begin: new Date(end).toISOString(),
    end: later,
    active: [],
  })
}

type EndingProps = {
  readonly occurrence: Occurrence
  readonly isRunning: boolean
  readonly onClose: () => void
  readonly onBack: () => void
}

/** Asks before an entry is deleted, or ended where it runs. */
function Ending({ occurrence, isRunning, onClose, onBack }: EndingProps): JSX.Element {
  const [scope, setScope] = useState<'once' | 'later'>('once')
  const { entry, end } = occurrence
  const { name } = entry.object
  const removeAll = async (): Promise<void> => {
    await remove(entry)
    toast(
      isRunning
        ? { text: t('maintenance.ended', { name }) }
        : {
            text: t('maintenance.removed', { name: titleOf(entry) }),
            undo: async () => void (await create(entry.object, bodyOf(entry))),
          },
    )
  }
  if (!isRunning || !isSeries(entry))
    return (
      <Confirm
        title={isRunning ? t('maintenance.endNow') : t('maintenance.deleteName', { name: titleOf(entry) })}
        effect={effectOf(entry, isRunning)}
        submit={t(isRunning ? 'maintenance.endNow' : 'maintenance.delete')}
        onConfirm={removeAll}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={t('maintenance.endNow')}
      submit={t('maintenance.endNow')}
      danger
      onSubmit={async () => {
        if (scope === 'later') return removeAll()
        await endOccurrence(entry, end)
        toast({ text: t('maintenance.ended', { name }) })
      }}
      onClose={onClose}
      onCancel={onBack}
    >
      {() => (
        <>
          <p>{t('maintenance.endEffect', { name })}</p>
          <ScopeChoices texts="ends" value={scope} onChange={setScope} />
        </>
      )}
    </FormDialog>
  )
}

function effectOf(entry: Entry, isRunning: boolean): string {
  const { name } = entry.object
  if (isRunning) return t('maintenance.endEffect', { name })
  return t(isSeries(entry) ? 'maintenance.deleteSeries' : 'maintenance.deleteEffect', { name })
}
