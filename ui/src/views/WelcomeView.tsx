import { WelcomePage } from "@/domains/onboarding/WelcomePage";

export default function WelcomeView() {
    return <WelcomePage />;
}
