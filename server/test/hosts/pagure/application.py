"""Pagure's web application for gunicorn."""

from pagure.flask_app import create_app

application = create_app()
