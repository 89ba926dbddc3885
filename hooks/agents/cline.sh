#!/bin/sh
# redline: the edits of Cline become proposals that a person decides. Made by `redline init --agent cline`.
redline-agent hook cline || printf '%s\n' '{"cancel": true, "errorMessage": "Not written: redline hook failed. Tell the person"}'
