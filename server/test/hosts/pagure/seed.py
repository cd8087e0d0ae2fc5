"""Creates the database with users and API tokens, and prints the tokens as JSON."""

import datetime
import json
import os

import pagure.config
import pagure.lib.model as model
import pagure.lib.model_base as model_base
import pagure.lib.query as query

config = pagure.config.reload_config()
# The third argument creates the permissions that tokens can have.
model.create_tables(config["DB_URL"], None, config["ACLS"])
session = model_base.create_session(config["DB_URL"])

for name in ("bot", "alice", "grace", "mallory"):
    user = model.User(
        user=name, fullname=name.title(), password="*", default_email=name + "@example.org"
    )
    session.add(user)
    session.flush()
    session.add(model.UserEmail(user_id=user.id, email=name + "@example.org"))
session.commit()


def token(user, acls, days):
    query.add_token_to_user(
        session,
        project=None,
        acls=acls,
        username=user,
        expiration_date=datetime.date.today() + datetime.timedelta(days=days),
        description="test",
    )
    session.commit()
    known = {one.id for one in tokens}
    (made,) = [one for one in session.query(model.Token).all() if one.id not in known]
    tokens.append(made)
    return made.id


tokens = []
every = [acl.name for acl in session.query(model.ACL).all()]
print(
    json.dumps(
        {
            "bot": token("bot", every, 300),
            "alice": token("alice", every, 300),
            "grace": token("grace", every, 300),
            "mallory": token("mallory", every, 300),
            # What an account's own token can have on most servers.
            "narrow": token("bot", ["commit", "pull_request_create", "pull_request_update"], 300),
            "readOnly": token("bot", ["issue_comment"], 300),
            "expired": token("bot", every, -1),
        }
    )
)
