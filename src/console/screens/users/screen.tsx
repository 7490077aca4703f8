import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useGet } from '../../api/resource.ts'
import { user } from '../../api/session.ts'
import { Button } from '../../kit/controls.tsx'
import { PageHead, Sections } from '../../kit/data.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { Explain } from './explain.tsx'
import { Groups } from './groups.tsx'
import { usersSentence } from './rights.ts'
import { UserForm } from './user-form.tsx'
import { Users } from './user-list.tsx'

const SECTIONS = ['list', 'groups', 'explain'] as const

/** Users, user groups, and the explainer of rights. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const section = SECTIONS.find((one) => one === params['section']) ?? 'list'
  const { data } = useGet('/users', {})
  const [isNew, setNew] = useState(false)
  const refused = user.value?.role === 'administrator' ? undefined : t('users.needsAdministrator')
  const sentence = {
    list: data && usersSentence(data),
    groups: t('users.groupsSentence'),
    explain: t('users.explainSentence'),
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
      </div>
      {isNew && <UserForm onClose={() => setNew(false)} />}
    </>
  )
}
