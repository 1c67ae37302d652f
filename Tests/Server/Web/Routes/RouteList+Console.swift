import Authority
extension RouteList {
    /// The pages of the console, and its forms. Which role each asks for is in `ConsoleRoleTests`.
    static let console = """
        GET /admin: session, console role, several factors
        GET /admin/users: session, console role, several factors
        GET /admin/users/new: session, console role, several factors
        POST /admin/users/new: session, console role, several factors, same-site form, recent sign-in
        GET /admin/users/user: session, console role, several factors
        POST /admin/users/user: session, console role, several factors, same-site form, recent sign-in
        POST /admin/users/user/sessions: session, console role, several factors, same-site form
        GET /admin/users/user/change: session, console role, several factors
        POST /admin/users/user/change: session, console role, several factors, same-site form, recent sign-in
        GET /admin/tenants: session, console role, several factors
        POST /admin/tenants: session, console role, several factors, same-site form, recent sign-in
        GET /admin/tenants/tenant: session, console role, several factors
        POST /admin/tenants/tenant: session, console role, several factors, same-site form, recent sign-in
        GET /admin/roles: session, console role, several factors
        POST /admin/roles: session, console role, several factors, same-site form, recent sign-in
        GET /admin/connections: session, console role, several factors
        POST /admin/connections: session, console role, several factors, same-site form, recent sign-in
        GET /admin/connections/connection: session, console role, several factors
        POST /admin/connections/connection: session, console role, several factors, same-site form, recent sign-in
        GET /admin/clients: session, console role, several factors
        GET /admin/clients/client: session, console role, several factors
        POST /admin/clients/client: session, console role, several factors, same-site form, recent sign-in
        GET /admin/clients/new: session, console role, several factors
        POST /admin/clients/new: session, console role, several factors, same-site form, recent sign-in
        GET /admin/clients/edit: session, console role, several factors
        POST /admin/clients/edit: session, console role, several factors, same-site form, recent sign-in
        GET /admin/keys: session, console role, several factors
        POST /admin/keys: session, console role, several factors, same-site form, recent sign-in
        GET /admin/messages: session, console role, several factors
        POST /admin/messages: session, console role, several factors, same-site form
        GET /admin/messages/preview: session, console role, several factors
        GET /admin/messages/mail: session, console role, several factors
        GET /admin/audit: session, console role, several factors
        GET /admin/audit/export: session, console role, several factors
        GET /admin/operators: session, console role, several factors
        POST /admin/operators: session, console role, several factors, same-site form, recent sign-in
        GET /admin/configuration: session, console role, several factors
        """
}
