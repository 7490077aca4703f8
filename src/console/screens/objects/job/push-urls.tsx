import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../../api/client.ts'
import type { Answer } from '../../../api/client.ts'
import { useGet } from '../../../api/resource.ts'
import { Button, IconButton, TextField } from '../../../kit/controls.tsx'
import { Card, Code } from '../../../kit/data.tsx'
import { Note, Show } from '../../../kit/feedback.tsx'
import { Icon } from '../../../kit/icons.tsx'
import { Confirm, FormDialog } from '../../../kit/overlays.tsx'
import { Time } from '../../../kit/time.tsx'
import { t } from '../../../language/t.ts'
import type { Job } from './job.ts'

type Ping = Answer<'/jobs/{id}/pings'>['items'][number]

/** The secret URLs that deliver to the job, for programs that can only open a URL. */
export function PushUrls({ job }: { readonly job: Job }): JSX.Element {
  const isAllowed = job.permissions.write
  const pings = useGet('/jobs/{id}/pings', isAllowed ? { path: { id: job.id } } : null)
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const [doomed, setDoomed] = useState<Ping | null>(null)
  return (
    <Card
      title={t('job.push')}
      actions={
        <Button
          small
          icon="plus"
          refused={isAllowed ? undefined : t('job.needs', { right: t('job.right.write'), name: job.name })}
          onClick={() => setCreating(true)}
        >
          {t('job.push.new')}
        </Button>
      }
    >
      <div class="pad col">
        <p class="quiet">{t('job.push.text')}</p>
        {made !== null && (
          <Note kind="ok" icon="key" role="status">
            <b>{t('job.push.once')}</b>
            <Code label={t('job.push')} text={made} />
          </Note>
        )}
        {isAllowed && (
          <Show resource={pings}>
            {({ items }) => (
              <>
                {items.map((ping) => (
                  <div class="row" key={ping.id}>
                    <Icon name="key" />
                    <span class="grow cut">{ping.name}</span>
                    <span class="label">
                      <Time at={ping.createdAt} />
                    </span>
                    <IconButton
                      small
                      icon="close"
                      label={t('job.push.revokeName', { name: ping.name })}
                      onClick={() => setDoomed(ping)}
                    />
                  </div>
                ))}
              </>
            )}
          </Show>
        )}
      </div>
      {isCreating && (
        <NewUrl
          job={job}
          onClose={() => setCreating(false)}
          onMade={(url) => {
            setMade(url)
            pings.reload()
          }}
        />
      )}
      {doomed && (
        <Confirm
          title={t('job.push.revokeName', { name: doomed.name })}
          effect={t('job.push.revokeText')}
          submit={t('job.push.revoke')}
          onConfirm={async () => {
            await call('delete', '/jobs/{id}/pings/{pingId}', { path: { id: job.id, pingId: doomed.id } })
            pings.reload()
          }}
          onClose={() => setDoomed(null)}
        />
      )}
    </Card>
  )
}

function NewUrl({
  job,
  onMade,
  onClose,
}: {
  readonly job: Job
  readonly onMade: (url: string) => void
  readonly onClose: () => void
}): JSX.Element {
  const [name, setName] = useState('')
  return (
    <FormDialog
      title={t('job.push.new')}
      submit={t('job.push.create')}
      onSubmit={async () =>
        onMade(
          (await call('post', '/jobs/{id}/pings', { path: { id: job.id }, body: { name, expiresAt: null } }))
            .url,
        )
      }
      onClose={onClose}
    >
      {(failure) => (
        <TextField
          label={t('job.push.name')}
          hint={t('job.push.nameHint')}
          value={name}
          onValue={setName}
          autofocus
          error={failure?.at('/name')}
        />
      )}
    </FormDialog>
  )
}
