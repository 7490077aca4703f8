import type { JSX } from 'preact'
import { useLocation } from 'preact-iso'

import { call } from '../../api/client.ts'
import { forget, invalidate } from '../../api/resource.ts'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { DeleteUsedDialog } from './delete-used-dialog.tsx'
import { hasFiles } from './sources.ts'
import type { Source } from './sources.ts'

/** Deletes a data source after it has named what depends on it. */
export function DeleteSource({
  source,
  tables,
  onClose,
}: {
  readonly source: Source
  readonly tables: number | undefined
  readonly onClose: () => void
}): JSX.Element {
  const { route } = useLocation()
  return (
    <DeleteUsedDialog
      name={source.name}
      effect={hasFiles(source) ? t('data.deleteFiles', { count: tables ?? 0 }) : t('data.deleteDatabase')}
      usedBy={(count) => t('data.dependents', { count })}
      forceFirst={t('data.dependentsFirst')}
      onDelete={(forceDelete) =>
        call('delete', '/dataSources/{id}', { path: { id: source.id }, query: { forceDelete } })
      }
      onDeleted={() => {
        route(linkTo('data'))
        forget(`/dataSources/${source.id}`)
        invalidate('/dataSources')
      }}
      onClose={onClose}
    />
  )
}
