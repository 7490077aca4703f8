/** The hosts that pip asks by itself, with commas between. */
export function hostsOfIndex(): string {
  const program = [
    'import glob, sys',
    "sys.path.insert(0, glob.glob('/usr/share/python-wheels/pip-*.whl')[0])",
    'from pip._internal.models.index import PyPI',
    "print(PyPI.netloc, PyPI.file_storage_domain, sep=',')",
  ].join('\n')
  return Bun.spawnSync(['/usr/bin/python3', '-c', program]).stdout.toString().trim()
}
