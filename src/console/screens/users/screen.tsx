import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { PageHead, Sections } from '../../kit/data.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { Directory } from './directory.tsx'
import { Explain } from './explain.tsx'
import { Groups } from './groups.tsx'
import { usersSentence } from './rights.ts'
import { UserForm } from './user-form.tsx'
import { UserPage } from './user-page.tsx'
import { Users } from './user-list.tsx'

const SECTIONS = ['list', 'groups', 'explain', 'directory'] as const

/** One user, or the users, user groups, the explainer of rights and the directory. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  if (params['section'] === 'user') return <UserPage id={Number(params['id'])} />
  return <Lists name={params['section']} />
}

function Lists({ name }: { readonly name: string | undefined }): JSX.Element {
  const section = SECTIONS.find((one) => one === name) ?? 'list'
  const { data } = useGet('/users', {})
  const [isNew, setNew] = useState(false)
  const refused = user.value?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  const sentence = {
    list: data && usersSentence(data),
    groups: t('users.groupsSentence'),
    explain: t('users.explainSentence'),
    directory: t('users.directorySentence'),
  }[section]
  return (
    <>
      <PageHead
        title={t('users.title')}
        sentence={sentence}
        actions={
          <>
            <Sections
              label={t('users.sections')}
              sections={SECTIONS.map((one) => ({
                text: t(`users.section.${one}`),
                href: linkTo(one === 'list' ? 'users' : `users/${one}`),
                isCurrent: one === section,
              }))}
            />
            <Button kind="primary" icon="plus" refused={refused} onClick={() => setNew(true)}>
              {t('users.new')}
            </Button>
          </>
        }
      />
      <div class="body">
        {section === 'list' && <Users />}
        {section === 'groups' && <Groups />}
        {section === 'explain' && <Explain />}
        {section === 'directory' && <Directory />}
      </div>
      {isNew && <UserForm onClose={() => setNew(false)} />}
    </>
  )
}
