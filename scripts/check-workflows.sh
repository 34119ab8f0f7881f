#!/usr/bin/env bash
# Checks that the workflows are valid and leak no secrets. Needs Python 3.10 with venv. The two linters are
# installed into target/tools, once; both work without the network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/python-tools.sh
source scripts/python-tools.sh

# jactionlint has actionlint's checks and more; actionlint itself is in no package registry. The hashes are
# those of Linux x64 and arm64, macOS arm64 and x64.
python_tools workflows 'jactionlint==2.3.0
  --hash=sha256:4293053b50800cf5899fca39c2e10a84c4b2926aa68fc2a7610114e37825836f
  --hash=sha256:bfda081c2313c1ba9b17244f784a1e11e09e274021e26fdff3e3c76f094b48d0
  --hash=sha256:8fc69af70b22858031130737e1f86c7e04870ae6b6146dc4fe53bb0753236378
  --hash=sha256:e855f3d01a55f1a7aecafa93e86908acccb4adb4aa2d5b550823494fd4ff09ce
zizmor==1.32.0
  --hash=sha256:84a6acb975accc13408786a2bd274b572537ca19c933ebbc13e78f3988562071
  --hash=sha256:0cdd38fca6eb34ceb567548548d706332e3535ea66894b9168c048e03207b68c
  --hash=sha256:0a999c98015becd9f69919ce01febadfb1c2be9b8ec2ce9ef7eb13ff23ba8eba
  --hash=sha256:aa4b4e216321dd5cf202cd79fc83296468f0eed79d850cd65ac8187a6bbc5496
'

command -v shellcheck >/dev/null || echo 'shellcheck is missing: the shell in the workflows is not checked' >&2

# The images follow their tags, because users run them like that. No published file is built in one.
jactionlint --ignore 'is pinned by a tag, which can be moved' .github/workflows/*.yml
zizmor --offline --quiet .github
echo "jactionlint and zizmor have nothing to say about $(find .github -name '*.yml' | wc -l) files"
