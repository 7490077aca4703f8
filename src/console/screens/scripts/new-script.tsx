import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'

import { call, send, urlOf } from '../../api/client.ts'
import { invalidate } from '../../api/resource.ts'
import { itemOptions, SelectField, TextField } from '../../kit/controls.tsx'
import { linkTo } from '../../kit/location.ts'
import { FormDialog } from '../../kit/overlays.tsx'
import { toastFailure } from '../../kit/toasts.ts'
import { t } from '../../language/t.ts'
import type { Group } from './script.ts'

/** The first files that a new script can begin with, by their paths. */
const STARTERS = {
  'main.py': 'import sys\n\nprint("arguments:", sys.argv[1:])\n',
  'run.sh': '#!/bin/sh\nset -eu\n\necho "arguments: $*"\n',
} as const
type Starter = keyof typeof STARTERS
const STARTER_NAMES = Object.keys(STARTERS) as Starter[]

type Props = { readonly groups: readonly Group[]; readonly onClose: () => void }

/** Creates a script, with its first file unless it begins empty. */
export function NewScript({ groups, onClose }: Props): JSX.Element {
  const { route } = useLocation()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [groupId, setGroupId] = useState('')
  const [starter, setStarter] = useState<Starter | ''>('main.py')
  const create = async (): Promise<void> => {
    const body = { name, description, ...(groupId === '' ? {} : { groupId: Number(groupId) }) }
    const { id } = await call('post', '/scripts', { body })
    // The script exists from here on: a file that is refused is written again in its page.
    if (starter !== '') await putStarter(id, starter).catch(toastFailure)
    invalidate('/scripts')
    route(linkTo(`scripts/${id}`, { tab: 'files', file: starter }))
  }
  return (
    <FormDialog
      title={t('scripts.new')}
      submit={t('scripts.create')}
      refused={name === '' ? t('scripts.needsName') : undefined}
      onSubmit={create}
      onClose={onClose}
    >
      {(failure) => (
        <>
          <TextField
            label={t('scripts.name')}
            value={name}
            onValue={setName}
            error={failure?.at('/name')}
            autofocus
          />
          <TextField
            label={t('scripts.description')}
            value={description}
            onValue={setDescription}
            error={failure?.at('/description')}
          />
          <SelectField
            label={t('scripts.group')}
            value={groupId}
            onValue={setGroupId}
            error={failure?.at('/groupId')}
            options={itemOptions(groups, t('scripts.defaultGroup'))}
          />
          <SelectField
            label={t('scripts.starter')}
            value={starter}
            onValue={setStarter}
            options={[
              ...STARTER_NAMES.map((path) => ({ value: path, text: path })),
              { value: '' as const, text: t('scripts.starterNone') },
            ]}
          />
        </>
      )}
    </FormDialog>
  )
}

async function putStarter(id: number, path: Starter): Promise<void> {
  const url = urlOf('/scripts/{script}/files/{path}', { path: { script: String(id), path } })
  await send('PUT', url, { headers: { 'content-type': 'text/plain' }, body: STARTERS[path] })
}
