import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { acknowledge } from '../../../actions/alarms.ts'
import { useOpenAlarmOf } from '../../../actions/open-alarms.ts'
import { setStopped } from '../../../actions/stop.ts'
import { API_BASE, call } from '../../../api/client.ts'
import { invalidate } from '../../../api/resource.ts'
import { Button, IconButton, SelectField, TextField } from '../../../kit/controls.tsx'
import { copyText } from '../../../kit/data.tsx'
import { linkTo } from '../../../kit/location.ts'
import { FormDialog, Menu } from '../../../kit/overlays.tsx'
import { durationText, fullTimeText, msOfDuration, now } from '../../../kit/time.tsx'
import { toast } from '../../../kit/toasts.ts'
import { t } from '../../../language/t.ts'
import { DeleteDialog } from '../delete-dialog.tsx'
import { EditDialog } from '../edit-dialog.tsx'
import { MoveDialog } from '../move-dialog.tsx'
import { ForceDialog, release } from './force-dialog.tsx'
import type { Job } from './job.ts'
import { snippetOf } from './snippets.ts'

/** The actions on a job: acknowledge its alarm, maintain it, stop or start it, and in a menu all others. */
export function Actions({
  job,
  etag,
}: {
  readonly job: Job
  readonly etag: string | undefined
}): JSX.Element {
  const { route } = useLocation()
  const [dialog, setDialog] = useState<'maintain' | 'force' | 'edit' | 'move' | 'delete' | null>(null)
  const close = (): void => setDialog(null)
  const { maintain, write } = job.permissions
  const needs = (has: boolean, right: string): string | undefined =>
    has ? undefined : t('job.needs', { right: t(`job.right.${right}`), name: job.name })
  const needsWrite = needs(write, 'write')
  return (
    <>
      <Acknowledge job={job} refused={needs(maintain, 'maintain')} />
      <Button icon="maintenance" refused={needs(maintain, 'maintain')} onClick={() => setDialog('maintain')}>
        {t('job.maintain')}
      </Button>
      <IconButton
        icon={job.stopped ? 'play' : 'pause'}
        label={t(job.stopped ? 'job.start' : 'job.stop')}
        {...(needsWrite === undefined ? {} : { refused: needsWrite })}
        action={() => setStopped([job], !job.stopped)}
      />
      <Menu
        label={t('job.more')}
        items={[
          { text: t('objects.edit'), icon: 'edit', refused: needsWrite, run: () => setDialog('edit') },
          { text: t('objects.moveMenu'), icon: 'right', refused: needsWrite, run: () => setDialog('move') },
          job.stateForced
            ? {
                text: t('job.release'),
                icon: 'undo',
                refused: needsWrite,
                action: () => release(job),
              }
            : { text: t('job.forceMenu'), icon: 'lock', refused: needsWrite, run: () => setDialog('force') },
          {
            text: t('job.copyCurl'),
            icon: 'copy',
            action: () => copyText(snippetOf('curl', job, API_BASE)),
          },
          {
            text: t('job.alarmLinks'),
            icon: 'mail',
            run: () => route(linkTo('notifications/links', { type: 'job', id: job.id })),
          },
          {
            text: t('objects.statusPage'),
            icon: 'screen',
            refused: needsWrite,
            run: () => route(linkTo(`status-pages/job/${job.id}`)),
          },
          { text: t('job.copyLink'), icon: 'link', action: () => copyText(location.href) },
          {
            text: t('objects.delete'),
            icon: 'close',
            danger: true,
            refused: needsWrite,
            run: () => setDialog('delete'),
          },
        ]}
      />
      {dialog === 'maintain' && <Maintain job={job} onClose={close} />}
      {dialog === 'force' && <ForceDialog job={job} onClose={close} />}
      {dialog === 'edit' && <EditDialog object={job} etag={etag} onClose={close} />}
      {dialog === 'move' && <MoveDialog objects={[job]} onClose={close} />}
      {dialog === 'delete' && <DeleteDialog place={{ ...job, type: 'job' }} onClose={close} />}
    </>
  )
}

function Acknowledge({
  job,
  refused,
}: {
  readonly job: Job
  readonly refused: string | undefined
}): JSX.Element | null {
  const alarm = useOpenAlarmOf(job.id)
  if (!alarm) return null
  return (
    <Button kind="primary" refused={refused} action={() => acknowledge([alarm])}>
      {t('job.acknowledge')}
    </Button>
  )
}

const LENGTHS = ['PT20M', 'PT1H', 'PT4H', 'P1D'] as const
type Length = (typeof LENGTHS)[number]

/** Plans maintenance that begins now. */
function Maintain({ job, onClose }: { readonly job: Job; readonly onClose: () => void }): JSX.Element {
  const [length, setLength] = useState<Length>('PT20M')
  const [name, setName] = useState(t('job.maintenance'))
  const end = now.value + (msOfDuration(length) ?? 0)
  const plan = async (): Promise<void> => {
    const times = { begin: new Date().toISOString(), end: new Date(end).toISOString() }
    await call('post', '/jobs/{id}/revaluations', {
      path: { id: job.id },
      body: { ...times, type: 'maintenance', name },
    })
    invalidate(`/jobs/${job.id}`, '/alarms')
    toast({
      text: t('job.maintained', { name: job.name, duration: durationText(msOfDuration(length) ?? 0) }),
    })
  }
  return (
    <FormDialog
      title={t('job.maintainName', { name: job.name })}
      submit={t('job.maintainBegin')}
      onSubmit={plan}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <SelectField
            label={t('job.maintainFor')}
            value={length}
            onValue={setLength}
            options={LENGTHS.map((value) => ({ value, text: durationText(msOfDuration(value) ?? 0) }))}
            hint={t('job.until', { time: fullTimeText(end), utc: fullTimeText(end, 'UTC') })}
          />
          <TextField label={t('job.reason')} value={name} onValue={setName} error={failure?.at('/name')} />
          <p class="quiet">{t('job.maintainText')}</p>
        </>
      )}
    </FormDialog>
  )
}
