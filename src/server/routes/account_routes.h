#pragma once
#include "server/api.h"

/// The handlers of accounts, contacts and what goes with workflows (account_table.cpp).
namespace fermata::server::routes {

void get_settings(Api& api, Call call);
void put_settings(Api& api, Call call);
void patch_settings(Api& api, Call call);

void get_contact(Api& api, Call call);
void put_contact(Api& api, Call call);
void patch_contact(Api& api, Call call);
void list_contacts(Api& api, Call call);
void opt_out_contact(Api& api, Call call);
void opt_in_contact(Api& api, Call call);
void delete_contact(Api& api, Call call);
void remove_contact(Api& api, Call call);

void get_goals(Api& api, Call call);
void put_goals(Api& api, Call call);
void get_triggers(Api& api, Call call);
void put_triggers(Api& api, Call call);

/// Sends a command to a contact; `done` is told once it is durable, on the partition's thread.
using ContactDone = std::function<void(Api&, const Call&, const ContactTold&)>;
void send_contact(Api& api, Call call, contact::Command command, ContactDone done);

}  // namespace fermata::server::routes
