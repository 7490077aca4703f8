import type { JSX } from 'preact'
import { useState } from 'preact/hooks'

import { call } from '../../api/client.ts'
import type { Item } from '../../api/client.ts'
import { useGet } from '../../api/resource.ts'
import { Button, TextField } from '../../kit/controls.tsx'
import { Card, KeyValues } from '../../kit/data.tsx'
import { Empty, Show } from '../../kit/feedback.tsx'
import { Confirm, FormDialog } from '../../kit/overlays.tsx'
import { toast } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { User } from './rights.ts'

/** Where a user signs in besides the password here: the directory, or an OpenID Connect provider. */
export function Identity({ user }: { readonly user: User }): JSX.Element {
  const path = { id: user.id }
  const options = useGet('/session/options', {})
  const identities = useGet('/users/{id}/identities', { path })
  const [open, setOpen] = useState<'link' | 'unlink' | null>(null)
  const [subject, setSubject] = useState('')
  const hasProvider = options.data?.oidc !== null
  const linked = identities.data?.items.find(({ kind }) => kind === 'oidc')
  const link = (
    <Button
      refused={hasProvider ? undefined : t('users.noProvider')}
      onClick={() => {
        setSubject(linked?.kind === 'oidc' ? linked.subject : '')
        setOpen('link')
      }}
    >
      {t(linked ? 'users.linkOther' : 'users.link')}
    </Button>
  )
  return (
    <Card title={t('users.identity')}>
      <Show resource={identities} what={t('users.identityFailed')}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('users.notLinked')} text={t('users.notLinkedText')} action={link} />
          ) : (
            <div class="pad col">
              <KeyValues rows={items.flatMap(factsOf)} />
              <div class="row wrap">
                {link}
                {linked && (
                  <Button kind="danger" onClick={() => setOpen('unlink')}>
                    {t('users.unlink')}
                  </Button>
                )}
              </div>
            </div>
          )
        }
      </Show>
      {open === 'link' && (
        <FormDialog
          title={t('users.linkName', { name: user.username })}
          submit={t('users.link')}
          refused={subject.trim() === '' ? t('users.needsSubject') : undefined}
          onSubmit={async () => {
            await call('put', '/users/{id}/identity', { path, body: { subject: subject.trim() } })
            identities.reload()
          }}
          onClose={() => setOpen(null)}
        >
          {(failure) => (
            <TextField
              label={t('users.subjectId')}
              hint={t('users.subjectHint')}
              value={subject}
              onValue={setSubject}
              error={failure?.at('/subject')}
              autocomplete="off"
            />
          )}
        </FormDialog>
      )}
      {open === 'unlink' && (
        <Confirm
          title={t('users.unlink')}
          effect={t('users.unlinkEffect', { name: user.username })}
          submit={t('users.unlink')}
          onConfirm={async () => {
            await call('delete', '/users/{id}/identity', { path })
            identities.reload()
            toast({ text: t('users.unlinked', { name: user.username }) })
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </Card>
  )
}

function factsOf(one: Item<'/users/{id}/identities'>): (readonly [name: string, value: JSX.Element])[] {
  const fact = (name: string, text: string) => [t(name), <span class="agent">{text}</span>] as const
  if (one.kind === 'ldap') return [fact('users.directoryId', one.directoryId)]
  return [fact('users.issuer', one.issuer), fact('users.subjectId', one.subject)]
}
