//! Lists of words that phrases share. Each is a name and its words; `a_b` is two words in a row.

/// The lists, by name.
pub(crate) const LISTS: &[(&str, &str)] = &[
    ("no", "not never dont mustnt shouldnt neednt do_not must_not should_not need_not"),
    // What turns `not` from an order into a description.
    (
        "describing",
        "does doesnt did didnt is isnt are was were will would has have had may can could if",
    ),
    (
        "user",
        "user users human humans person people operator customer customers client them anyone anybody somebody someone owner",
    ),
    (
        "tell",
        "tell telling inform informing mention mentioning notify notifying alert alerting reveal \
         revealing disclose disclosing report reporting warn advise explain explaining confess admit \
         acknowledge",
    ),
    ("call", "call use run invoke execute trigger start consult query"),
    ("calling", "calling using running invoking executing use call run invoke"),
    ("tools", "tool tools function functions plugin plugins"),
    ("model", "assistant model ai agent llm chatbot"),
    // Verbs that ask the model to hand something over, or to fetch it first.
    (
        "give",
        "include including pass passing provide providing append appending attach attaching embed \
         embedding put paste pasting supply send sending forward forwarding share sharing transmit \
         transmitting upload uploading post posting email exfiltrate exfiltrating leak copy copying \
         submit submitting insert inserting give place write encode add relay deliver quote fill",
    ),
    (
        "fetch",
        "read reading open load cat retrieve fetch get extract extracting collect collecting gather \
         gathering find harvest dump locate steal grab obtain recall look_up",
    ),
    (
        "whose",
        "the your their users user any all every each this his her my our its clients customers stored saved local available",
    ),
    (
        "secret",
        "api_key api_keys apikey apikeys password passwords passphrase passphrases passcode private_key \
         private_keys ssh_key ssh_keys secret_key secret_keys access_token access_tokens access_key \
         access_keys auth_token auth_tokens bearer_token bearer_tokens session_token session_tokens \
         refresh_token refresh_tokens oauth_token oauth_tokens api_token api_tokens api_secret \
         github_token login_token credentials credential seed_phrase seed_phrases recovery_phrase \
         recovery_code recovery_codes mnemonic session_cookie session_cookies browser_cookies \
         credit_card card_number card_numbers social_security_number ssn secrets keychain \
         environment_variables env_vars signing_key signing_keys encryption_key encryption_keys \
         wallet_key wallet_keys auth_header authorization_header",
    ),
    (
        "secrets",
        "api_keys apikeys passwords credentials private_keys ssh_keys access_tokens secrets \
         auth_tokens session_cookies browser_cookies seed_phrases access_keys api_tokens secret_keys",
    ),
    // What a word for a secret only describes.
    (
        "about",
        "reset resets policy policies strength length field fields hash hashes protected protection \
         manager rotation rotations change changes form forms rule rules requirement requirements \
         expiry expiration metadata name names id ids type types count dialog page input hint \
         limit limits status parameter scanning",
    ),
    (
        "earlier",
        "previous prior above earlier preceding foregoing former original initial your system safety",
    ),
    ("every", "all any other every existing the these those"),
    (
        "orders",
        "instruction instructions directive directives guideline guidelines prompt prompts order orders directions guidance programming",
    ),
    (
        "limits",
        "rule rules policy policies restriction restrictions constraints guardrail guardrails safeguards safeguard training filters context messages commands",
    ),
    (
        "ignore",
        "ignore ignoring disregard disregarding forget forgetting override overriding bypass bypassing discard discarding neglect abandon circumvent set_aside put_aside pay_no_attention_to",
    ),
    // Verbs of doing something on the side.
    (
        "act",
        "call send run read forward include append execute use copy upload add pass store log post \
         transmit collect invoke attach embed fetch bcc cc write insert record perform do submit delete",
    ),
    ("talk", "conversation conversations chat chats dialogue dialog discussion"),
    (
        "history",
        "conversation chat dialogue dialog discussion transcript chat_history conversation_history message_history chat_log chat_transcript context_window",
    ),
];
